/* A fault: the share of each worker is computed though the last worker has just left. */
#define WORKERS 3
byte present = WORKERS;
int share, work = 1000;
byte idle[WORKERS];
active [WORKERS] proctype Worker() {
  byte rounds;
  do
  :: rounds < 100 -> rounds++
  :: rounds >= 100 -> present--; break
  :: idle[_pid] = (idle[_pid] + 1) % 16
  od
}
active proctype Master() {
  do
  :: share = work / present
  :: present > 1 -> work = 1000 - (work % 7)
  od
}
