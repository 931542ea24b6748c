/* the same for break: what stands behind the loop, here a condition */
byte x, y;
active proctype P()
{
	do
	:: { x < 4; x++ } unless { break }
	od;
	y == 1;
	x = 9
}
active proctype Q()
{
	y = 1
}
