/* Rare: of all orders in which seven messages arrive only one is wrong. */
#define N 7
chan q = [N] of { byte };
byte expected;
active [N] proctype Sender() { q!_pid }
active proctype Receiver() {
  byte m;
  do
  :: q?m; if :: m == (N - 1 - expected) -> expected++ :: else -> expected = 0 fi;
     assert(expected != N)
  od
}
