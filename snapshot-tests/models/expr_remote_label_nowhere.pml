/* No process rests at a label in front of dead code, one that does not exist neither. */
active proctype A() { goto L1; L0: skip; L1: skip }
active proctype B() {
  assert(!A[2]@L0);
  assert(!A[0]@L0);
  (A[2]@L0)
}
