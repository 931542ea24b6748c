/* a jump to a loop that was not entered yet: the counter has the value that it happens to have */
byte k;
active proctype P()
{	byte i = 2;
	if
	:: goto L
	:: skip
	fi;
L:	for (i : 1 .. 3) { k++ }
	assert(k == 3)
}
