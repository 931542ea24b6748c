/* inside an atomic, control stops behind the if, where the escape is not tried */
byte x, y;
active proctype P()
{
	atomic { { { if :: x = 1 :: x = 2 fi } unless { y == 1 -> x = 9 } } unless { x > 0 -> y = 2 } };
	x = 3
}
active proctype Q()
{
	y = 1
}
