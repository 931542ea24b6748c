/* a label of a loop in the main sequence and in the escape of an `unless` */
byte n, k;
active proctype P()
{	byte i, j;
	{	k++;
L:		for (i : 1 .. 3) {
			k++;
			if
			:: i == 2 && n == 0 -> n = 1; goto L
			:: else
			fi
		}
	} unless {
		n == 7;
M:		for (j : 1 .. 2) { k++ }
		assert(k < 6)
	}
	if
	:: n == 7 && k < 4 -> goto M
	:: else
	fi
}
active proctype Q() { P@L -> n = 7 }
