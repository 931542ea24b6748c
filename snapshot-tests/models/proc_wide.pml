/* Processes of one to five words, started as long as there is room: a state that grows. */
byte started;

proctype One(byte n) {
  n > 0;
  n--
}

proctype Three(int a; short b) {
  int c[4];
  chan mine = [5] of { int, byte };
  c[2] = a - 1;
  mine!c[2], b;
  mine?a, b
}

proctype Five(int a) {
  int c[8];
  c[a & 7] = -a;
  c[7 - (a & 7)] = a * 1000;
  assert(c[a & 7] + a == 0)
}

init {
  do
  :: started < 2 -> started++; run Three(-300 - started, started)
  :: started < 2 -> started++; run One(started) priority 3
  :: started < 2 -> started++; run Five(70000 + started)
  :: started == 2 -> break
  od
}
