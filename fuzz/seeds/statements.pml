mtype = { ping, pong };
typedef Pair { byte a; short b[2] }
chan q = [2] of { mtype, byte };
chan r = [0] of { Pair };
unsigned u : 3;
bool flag = true;
active [2] proctype worker(byte me) priority 2 provided (flag) {
	byte i, n; Pair p;
	xr q;
again:	do
	:: atomic { q!ping(i); i++ } unless { i > 3 }
	:: q?pong, n -> assert(n < 4)
	:: q??<ping, eval(n)> -> p.b[1] = -i
	:: d_step { nempty(q) -> n = len(q); n-- }
	:: timeout -> break
	:: else skip
	od
	for (i : 1 .. 3) { printf("%d\n", i) }
	select (n : 0 .. 2)
	if :: q?[ping, n] :: full(q) -> goto again :: (i == 1 -> n : 2) == 2 fi
end:	skip
}
