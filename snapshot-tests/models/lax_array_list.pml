// A list of initial values behind a statement: all elements have them from the start, each pass stores the first again. (Without -o2 Spin takes the declaration for one that sets all elements, and forgets the others.)
// @pmc -A late-array-list -A option-scope
// @complains
// @modes exact
byte z, sum;
inline f() { byte a[3] = { 1, 2, 3 }; sum = sum + a[1]; a[0] = 9; a[1]++ }
active proctype P() {
  if
  :: goto late
  :: do
     :: z < 2 ->
        byte b[4] = { 4, 2 };
        assert(b[0] == 4 && b[1] == 2 + z && b[3] == 2);
        b[0] = 7; b[1]++; z++
     :: else -> break
     od
  fi;
  z = 5;
  f(); f();
late:
  assert(b[0] == 4 || b[0] == 7);
  d_step { bit c[2] = { 1, 2 }; z = c[1] };
  atomic { short s[2] = { 300, 400 }; z = s[0] }
}
