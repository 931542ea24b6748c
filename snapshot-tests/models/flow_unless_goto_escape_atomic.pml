/* from inside an atomic, an escape that is a jump is a step; from its last statement it is what stands at the label */
byte x, y;
active proctype P()
{
	{ atomic { x = 1; x = 2; x = 4 } } unless { goto L };
	x = 3;
L:	y == 1;
	x = 5
}
active proctype Q()
{
	y = 1
}
