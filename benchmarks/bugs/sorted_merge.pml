/* Within an atomic of thousands of steps: a merge that is wrong only for one of the inputs that are drawn before. */
#define LENGTH 40
#define ROUNDS 30
byte left, right; byte noise; short steps;
active proctype Merge() {
  byte i, j, out, round;
  do
  :: atomic {
       select(left : 0 .. 7);
       select(right : 0 .. 7);
       round = 0;
       do
       :: round < ROUNDS ->
          i = 0; j = 0; out = 0;
          do
          :: i < LENGTH && (j >= LENGTH || (i + left) % 8 <= (j + right) % 8) -> i++; out++
          :: j < LENGTH && (i >= LENGTH || (i + left) % 8 > (j + right) % 8) -> j++; out++
          :: i >= LENGTH && j >= LENGTH -> break
          od;
          assert(out == 2 * LENGTH);
          round++
       :: round == ROUNDS -> break
       od;
       assert(!(left == 6 && right == 5))
     }
  od
}
active proctype Clock() { do :: noise = (noise + 1) % 50 od }
