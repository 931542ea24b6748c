// A loop that opens a block, an atomic, a d_step, an inline or an option may have a label.
byte x, n, k[2];
inline f() { again: do :: x < 9 -> x = x + 3 :: else -> break od; if :: n < 5 -> n = 5; x = 6; goto again :: else fi }
active proctype P() {
  byte i;
  { L: do :: x < 2 -> x++ :: else -> break od; if :: n == 0 -> n = 1; x = 0; goto L :: else fi };
  atomic { M: do :: x < 4 -> x++ :: else -> break od; if :: n == 1 -> n = 2; x = 3; goto M :: else fi };
  d_step { N: do :: x < 6 -> x++ :: else -> break od; if :: n == 2 -> n = 3; x = 5; goto N :: else fi };
  if :: O: do :: x < 8 -> x++ :: else -> break od; if :: n == 3 -> n = 4; x = 7; goto O :: else fi fi;
  f();
  { progress_a: for (i : 1 .. 2) { x++ } };
  atomic { end_b: for (i in k) { x++ } };
  { accept_c: select (i : 1 .. n) }
}
