/* The filter lock, Peterson's lock for N processes: N - 1 levels, at each of which the last to come waits until it is
   alone there and above, or until another comes. */
#ifndef N
#define N 3
#endif

byte up[N];           /* up[k]: how many have come to level k or above */
pid last[N] = 255;    /* last[k]: who came to level k last */
byte inside;

active [N] proctype P() {
  byte k;
  do
  :: k = 1;
     do
     :: k < N ->
        up[k]++;
        last[k] = _pid;
        (up[k] == 1 || last[k] != _pid) -> k++
     :: else -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     d_step {
       do
       :: k > 1 -> k--; up[k]--
       :: else -> break
       od;
       k = 0
     }
  od
}
