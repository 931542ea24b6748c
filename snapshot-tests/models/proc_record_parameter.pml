/* A record as an argument is spread over the fields of the parameter. */
typedef Inner { byte a; short c };
typedef Outer { Inner inner; byte b; unsigned u : 3; chan back };

chan answers = [2] of { byte };
Outer given[2];

proctype P(Outer r; byte x) {
  r.inner.a++;
  assert(r.inner.a == 2 && r.inner.c == -4 && r.b == 2 && r.u == 6 && x == 3);
  r.back!7;
  run Q(r, x)
}

proctype Q(Outer r; byte x) {
  r.back?x;
  assert(r.inner.a == 2 && r.inner.c == -4 && r.b == 2 && r.u == 6 && x == 7)
}

init {
  given[1].back = answers;
  given[1].inner.a = 1;
  given[1].inner.c = -4;
  given[1].u = 6;
  given[1].b = 2;
  run P(given[1], 3);
  run P(given[1], 3)
}
