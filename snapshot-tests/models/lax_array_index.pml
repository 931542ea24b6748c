// An array without an index is its element 0, read, written and in a condition.
// @pmc -A array-without-index
// @complains
byte a[3] = { 5, 6, 7 };
bit b[2];
pid p[2];
byte x = a;
proctype Q(byte q) { assert(q == 10) }
active proctype P() provided (a < 99) {
  byte l[2] = { 8, 9 };
  assert(x == 5 && l == 8);
  x = a;
  a = 9;
  a++;
  assert(a[0] == 10 && a == 10);
  l = a + l;
  do
  :: l > 16 -> l--
  :: else -> break
  od;
  b = 2;
  assert(b[0] == 2);
  a[b] = 1;
  a[a - 9] = 3;
  assert(a[2] == 1 && a[1] == 3);
  a = 10;
  p = run Q(a);
  assert(p[0] == 1 && p[1] == 0)
}
