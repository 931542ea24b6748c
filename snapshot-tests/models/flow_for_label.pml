/* a label in front of `for` stands behind the initialisation of its counter:
   the jump goes on counting, so the body is run four times */
byte n, k;
active proctype P()
{	byte i;
L:	for (i : 1 .. 3) {
		k++;
		if
		:: i == 2 && n == 0 -> n = 1; goto L
		:: else
		fi
	}
	assert(k == 5)
}
