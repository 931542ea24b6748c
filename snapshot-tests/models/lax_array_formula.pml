// An array without an index in a formula and in a claim.
// @pmc -A array-without-index
// @complains
byte a[3] = { 5, 6, 7 };
active proctype P() {
  do
  :: a[0] = 1; a[1] = 3
  :: a[0] = 2; a[1] = 4
  od
}
ltl p { [] (a == 5 || a == 1 || a == 2) }
ltl q { [] (a != 2) }
