/* a jump back brings the escapes of its target along, as part of one group; a jump forward does not */
byte x, y;
active proctype P()
{
	{ x = 6; L: x = 7 } unless { y == 1 -> y = 2 };
	{ { x = 2; x = 1 } unless { goto L } } unless { goto M };
	{ x = 3; M: x = 4 } unless { y == 2 -> y = 3 };
	x = 5
}
active proctype Q()
{
	y = 1; y = 2
}
