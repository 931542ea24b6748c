/* Early: two clients ask for one lock, and client 1 can be passed over from the start. Four counters beside them make the
   space large: 20^4 times as many states. They seldom hold a client up. */
#ifndef TURNS
#define TURNS 20
#endif
bool waiting[2], inside[2], taken;
byte a, b, c, d;
active proctype A() { do :: a = (a + 1) % TURNS od }
active proctype B() { do :: b = (b + 1) % TURNS od }
active proctype C() { do :: c = (c + 1) % TURNS od }
active proctype D() { do :: d = (d + 1) % TURNS od }
active [2] proctype Client() {
	byte me = _pid - 4;
	do
	:: waiting[me] = true;
	   atomic { !taken && a + b != c + d + 33 -> taken = true; waiting[me] = false; inside[me] = true };
	   atomic { inside[me] = false; taken = false }
	od
}
ltl served { [] (waiting[1] -> <> inside[1]) }
