// More initial values than elements: those beyond are ignored.
// @pmc -A long-array-list
byte g[2] = { 7, 8, 9 };
byte after = 3;
active proctype P() {
  byte l[2] = { 4, 5, 6, 7 };
  byte behind;
  assert(g[0] == 7 && g[1] == 8 && after == 3);
  assert(l[0] == 4 && l[1] == 5 && behind == 0)
}
