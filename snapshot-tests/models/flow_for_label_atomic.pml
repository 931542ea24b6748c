/* labels of loops within an `atomic` and within a `d_step` */
byte n, k;
active proctype P()
{	byte i, j;
	atomic {
		k++;
L:		for (i : 1 .. 3) {
			k++;
			if
			:: k == 3 && n == 0 -> n = 1; goto L
			:: else
			fi
		}
	}
	assert(k == 5);
	d_step {
		k = 0;
M:		for (j : 1 .. 2) {
			k++;
			if
			:: k == 1 -> goto M
			:: else
			fi
		}
	}
	assert(k == 3);
	if
	:: k == 3 -> k = 0; goto L
	:: else
	fi
}
active proctype Q() { n = n; k = k }
