/* references to the channels of other processes: their own, elements of an array of them,
   parameters and variables that hold one, also of a process that is not there */
chan g = [3] of { byte };
chan up = [2] of { chan };
byte ok;
proctype A(chan given) {
	chan d = [1] of { byte };
	chan e[3] = [2] of { byte };
	chan held, later;
	byte x;
	held = d;
	d!1;
	up!d; up!e[2];
L:	d?x;
	later = given;
	goto L
}
active proctype B() {
	chan first, third;
	assert(A:d == 0 && A:given == 0);
	A@L;
	up?first; up?third;
	assert(A:d != 0);
	assert(A:d == first && A:held == first && A:d == A:held);
	assert(A:e[2] == third && A:e[0] == A:d + 1 && A:e[ok + 2] == third);
	assert(A:given == g && A:given != A:d);
	assert(A[3]:d == A:d && A[3]:e[1] == A:d + 2);
	ok = 1
}
init { run A(g) }
active proctype C() { ok == 1 -> assert(len(g) == 0) }
