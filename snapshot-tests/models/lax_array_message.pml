// An array without an index in messages: sent, received, compared, polled; arrays of channels and of records too.
// @pmc -A array-without-index
// @complains
typedef Rec { byte f[2]; byte g };
byte a[3] = { 5, 6, 7 };
chan c[2] = [2] of { byte };
chan d = [2] of { Rec };
Rec r[2];
proctype Q(chan e) { e!4 }
init {
  byte v;
  chan e;
  c!a; c!a[1];
  assert(len(c) == 2 && full(c) && len(c[1]) == 0);
  c?eval(a); c?a;
  assert(a[0] == 6);
  c!!a;
  assert(c?[a]);
  c?<a>; c??a;
  r.g = 3; r.f = 4; r.f[1] = 5;
  assert(r[0].f[0] == 4 && r.f == 4 && r[1].g == 0);
  d!r; d?r[1];
  assert(r[1].f[1] == 5 && r[1].g == 3);
  run Q(c);
  e = c;
  e?v;
  assert(v == 4 && empty(c))
}
