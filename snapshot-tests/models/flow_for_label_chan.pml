/* the same for a loop over the messages of a channel: its hidden counter goes on */
typedef Msg { byte v };
chan q = [3] of { Msg };
byte n, k;
active proctype P()
{	Msg m;
	m.v = 1; q!m; m.v = 2; q!m;
L:	for (m in q) {
		k++;
		if
		:: k == 2 && n == 0 -> n = 1; goto L
		:: else
		fi
	}
	assert(k == 5)
}
