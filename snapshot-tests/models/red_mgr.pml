/* managers that broadcast under a lock */
#ifndef N
#define N 4
#endif
bool busy, post[N];
byte back, j;
proctype Mgr(byte me) {
  do
  :: atomic { !busy -> busy = true; j = 0;
       do :: j < N -> post[j] = (j != me); j++ :: else -> j = 0; break od };
     atomic { back == N-1 -> back = 0 };
     busy = false
  :: atomic { post[me] -> post[me] = false };
     back++
  od
}
init { byte k; atomic { do :: k < N -> run Mgr(k); k++ :: else -> break od } }
