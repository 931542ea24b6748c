/* a jump to a label in front of `for`, which does not set the counter again: warned, line 9 column 29 [Spin 6.5.2 accepts silently, errors: 0, states: 59] */
byte n;
typedef Msg { byte v };
chan q = [2] of { Msg };
active proctype P()
{	byte i;
	Msg m;
L:	for (i : 1 .. 3) {
		if :: i == 2 && n == 0 -> goto L :: else fi; n = 1
	}
M:	for (m in q) { n = m.v; if :: n > 1 -> goto M :: n < 9 fi }
S:	select (i : 1 .. n);
	if :: i > n -> goto S :: else fi
}
active proctype Q() { Msg m; m.v = 1; q!m }
