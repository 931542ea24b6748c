/* an escape that is a jump is what stands at the label: here it can be taken when y is 1 */
byte x, y;
active proctype P()
{
	{ x = 1; x = 2 } unless { goto L };
	x = 3;
L:	y == 1;
	x = 5
}
active proctype Q()
{
	y = 1
}
