/* A monitor in the manner of Java: producers and consumers wait, and wake each other up. */

#define PRODUCERS 1
#define CONSUMERS 2
#define ROOM 1

bool lock;
byte n_items;
bool waits[PRODUCERS + CONSUMERS];     /* for a signal */

#define ENTER atomic { !lock -> lock = true }
#define LEAVE lock = false

/* Gives up the lock, waits for a signal, and takes the lock again: some time later. */
inline wait() {
  atomic { lock = false; waits[_pid] = true };
  !waits[_pid];
  ENTER
}

inline signal_all() {
  d_step { waits[0] = false; waits[1] = false; waits[2] = false }
}

active [PRODUCERS] proctype producer() {
end:
  do
  :: ENTER;
     do
     :: n_items == ROOM -> wait()
     :: else -> break
     od;
     assert(n_items < ROOM);
     n_items++;
     signal_all();
     LEAVE
  od
}

active [CONSUMERS] proctype consumer() {
end:
  do
  :: ENTER;
#ifdef MENDED
     do
     :: n_items == 0 -> wait()
     :: else -> break
     od;
#else
     if
     :: n_items == 0 -> wait()
     :: else
     fi;
#endif
     assert(n_items > 0);
     n_items--;
     signal_all();
     LEAVE
  od
}
