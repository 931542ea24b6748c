/* Mutual exclusion on a processor with store buffers (x86): what a thread writes is seen by the others later. */

#define NOTHING 2

bool wants[2];               /* in memory */
byte buffer[2] = NOTHING;    /* a write of thread i to wants[i] that is on its way, or NOTHING */
bool inside[2];

inline write(value) {
  atomic { buffer[_pid] == NOTHING -> buffer[_pid] = value }
}

/* Waits until the writes of this thread are in memory. */
inline fence() {
  buffer[_pid] == NOTHING
}

active [2] proctype thread() {
  byte other = 1 - _pid;
  do
  :: write(true);
#ifdef MENDED
     fence();
#endif
     if
     :: !wants[other] ->
          inside[_pid] = true;
          assert(!inside[other]);
          inside[_pid] = false
     :: else   /* try again */
     fi;
     write(false);
     fence()
  od
}

/* Brings writes to memory, some time. */
active proctype hardware() {
  do
  :: atomic { buffer[0] != NOTHING -> wants[0] = buffer[0]; buffer[0] = NOTHING }
  :: atomic { buffer[1] != NOTHING -> wants[1] = buffer[1]; buffer[1] = NOTHING }
  od
}
