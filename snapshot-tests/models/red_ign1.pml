/* the assertion is lost if T1 may spin alone forever */
// @pan -E
byte g;
active proctype T1() { byte x; g = 1; x = 0; do :: x = 1 - x od }
active proctype T2() { assert(g == 0) }
