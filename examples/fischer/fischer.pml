/* Fischer's mutual exclusion: who sees 0 writes its name within A ticks, waits B ticks, and looks again. */
#ifndef A
#define A 1
#endif
#ifndef B
#define B 1
#endif
byte id;             /* 0: free; else a process, pid + 1 */
byte in;

active [2] proctype P() {
  timer t;
  byte d;
  do
  :: id == 0;
     if :: d = 0 :: d = A fi;
     delay(t, d);
     id = _pid + 1;
     delay(t, B);
     if
     :: id == _pid + 1 -> in++; assert(in == 1); delay(t, B); in--; id = 0
     :: id != _pid + 1
     fi
  od
}
