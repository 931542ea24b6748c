/* accept and progress labels in front of loops mark the loop, and not its initialisation */
byte x;
active proctype P()
{	byte i, j;
	do
	:: x = 1;
accept:		for (i : 1 .. 2) { x = i }
	:: x = 2;
progress:	for (j : 1 .. 2) { x = j }
	od
}
