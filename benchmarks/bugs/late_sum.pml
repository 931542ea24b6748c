/* Late: only when all have finished is the sum compared, and it is wrong for one order. */
#ifndef N
#define N 4
#endif
#define K 6
byte total, finished; byte count[N];
active [N] proctype P() {
  byte seen;
  do
  :: count[_pid] < K -> seen = total; total = seen + 1; count[_pid]++
  :: count[_pid] == K -> finished++; break
  od
}
active proctype Check() { finished == N -> assert(total > 2) }
