/* sends and receives behind the question whether they are possible, in one step: each is one use of one side of a
   channel, so that steps at its other side can be taken ahead */
chan up[2] = [2] of { byte };
chan down[2] = [2] of { byte };

proctype Put(chan out; chan back) {
  byte i, a;
  xs out; xr back;
  do
  :: atomic { i < 4 && nfull(out) -> out!i; i++ }
  :: atomic { nempty(back) -> back?a; assert(a < i) }
  :: i == 4 && a == 3 -> break
  od
}

proctype Take(chan in; chan ack) {
  byte x, n;
  xr in; xs ack;
end:
  do
  :: atomic { nempty(in) -> in?x; assert(x == n); n++ };
     atomic { nfull(ack) -> ack!x }
  od
}

init {
  byte k;
  atomic {
    do
    :: k < 2 -> run Put(up[k], down[k]); run Take(up[k], down[k]); k++
    :: else -> break
    od
  }
}
