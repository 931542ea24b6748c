/* labels of nested loops, jumps from inside to both, and a process that sees control there */
byte n, k;
active proctype P()
{	byte i, j;
	k = 1;
outer:	also:	for (i : 1 .. 3) {
inner:		for (j : 1 .. 2) {
			k++;
			if
			:: k == 4 -> goto inner
			:: k == 9 && n == 0 -> n = 1; goto also
			:: else
			fi
		}
	}
}
active proctype Q()
{	if
	:: P@inner -> n = 5
	:: P@outer -> n = 6
	fi;
	assert(n != 6)
}
