/* a block at the end of an atomic is inside it: control passes from the join to the block, and P is seen at its label */
chan port = [0] of { byte };
byte x, y;
active proctype P()
{
	atomic { if :: port!1 fi; L: { x = 1; x = 2 } };
	y = 1
}
active proctype Q()
{
	byte z;
	port?z;
	y = 2;
	assert(!P@L);
	y = 3
}
