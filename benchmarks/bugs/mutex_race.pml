/* Early: a test and a set that are two steps. */
#ifndef N
#define N 6
#endif
bool taken; byte inside; byte work[N];
active [N] proctype P() {
  do
  :: !taken -> taken = true; inside++; assert(inside == 1); inside--; taken = false
  :: work[_pid] = (work[_pid] + 1) % 8
  od
}
