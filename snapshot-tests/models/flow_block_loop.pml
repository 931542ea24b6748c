/* a block is a place of its own: before the first round of a loop that a block
   begins with, the process does not stand where it stands before the others */
byte x;
active proctype P()
{
	if :: x = 2 :: x = 1 fi;
	{ do :: x == 1 -> x = 2; break :: x < 3 -> x = 1 od };
	x = 3
}
