/* In a space without end: the counter of heartbeats never ends, and the watchdog fires once it is late three times in a row. */
chan beat = [1] of { byte };
int beats; byte late; byte load;
active proctype Heart() {
  do
  :: beat!1; beats++
  :: load = (load + 1) % 200
  od
}
active proctype Watchdog() {
  do
  :: beat?_ -> late = 0
  :: empty(beat) -> late++; assert(late < 30 || beats == 0)
  od
}
