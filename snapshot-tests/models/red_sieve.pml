/* dynamic processes with channels of their own */
#ifndef MAX
#define MAX 8
#endif
proctype Stage(chan in; byte p) {
  chan out = [1] of { byte };
  byte n; bool more;
  xr in;
  do
  :: in?n ->
     if
     :: n == 0 -> if :: more -> out!0 :: else fi; break
     :: n != 0 && n % p == 0
     :: n != 0 && n % p != 0 -> if :: more :: else -> run Stage(out, n); more = true fi; out!n
     fi
  od
}
init {
  chan c = [1] of { byte };
  byte n = 3;
  run Stage(c, 2);
  do :: n <= MAX -> c!n; n++ :: else -> break od;
  c!0
}
