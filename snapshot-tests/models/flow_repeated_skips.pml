/* In an option of `if` and `do` several skips behind each other are one step, as is a skip behind a printf;
   a labelled one, the first and the last of the option are kept, and so is what stands in blocks, outside of options. */
#define T true
mtype = { one };
byte x;

active proctype P() {
  byte i;
  skip; skip; skip;
  do
  :: x < 2 -> skip; skip; skip; x++
  :: x < 2 -> x++; printf("on\n"); skip; printf("on\n"); skip; 1
  :: x < 2 -> skip; L: skip; M: skip; skip; skip; x++
  :: x < 2 -> { skip; skip; skip }; x++; skip; skip
  :: x == 2 -> T; (true); one; x = 3; skip; 1 == 1; skip; break
  od;
  for (i : 1 .. 2) { x++; skip; skip; x = x + 1 }
  if
  :: x > 4 -> skip; goto N
  :: else -> skip; skip
  fi;
N: skip;
  skip
}

never {
  do
  :: x < 4; skip; skip; skip; x < 4
  :: true
  od
}
