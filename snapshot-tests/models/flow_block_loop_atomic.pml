/* the same with an atomic that blocks before its first round and later */
byte x;
active proctype P()
{
	do :: x < 1 -> x = 2; break :: x >= 0 -> x = 1; break od;
	atomic { do :: x == 1 -> x = 2; break :: x < 3 -> x = 5 od }
}
active proctype Q() { x = 1 }
