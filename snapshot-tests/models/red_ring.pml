/* election on a ring, channels passed as parameters, with xr and xs */
#ifndef N
#define N 4
#endif
chan q[N] = [N] of { byte };
byte winner;
proctype Node(byte val; chan in; chan out) {
  byte got;
  xr in; xs out;
  out!val;
end:
  do
  :: in?got;
     if
     :: got > val -> out!got
     :: got < val
     :: got == val -> winner++; assert(winner == 1); break
     fi
  od
}
init {
  byte k;
  atomic {
    do
    :: k < N -> run Node((k * 3) % N + 1, q[k], q[(k + 1) % N]); k++
    :: else -> break
    od
  }
}
