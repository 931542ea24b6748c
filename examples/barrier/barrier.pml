/* A barrier: nobody begins the next round before everybody has finished this one. */

#define THREADS 3

byte arrived;
byte round[THREADS];     /* modulo 3 */

#ifdef MENDED
bool sense;

inline wait() {
  my_sense = !my_sense;
  atomic {
    arrived++;
    if
    :: arrived == THREADS -> arrived = 0; sense = my_sense
    :: else
    fi
  };
  sense == my_sense
}
#else
inline wait() {
  atomic {
    arrived++;
    if
    :: arrived == THREADS -> arrived = 0    /* the last one opens the barrier */
    :: else
    fi
  };
  arrived == 0
}
#endif

/* Another thread is in this round, or in the next. */
#define together(other) (round[other] == round[_pid] || round[other] == (round[_pid] + 1) % 3)

active [THREADS] proctype thread() {
#ifdef MENDED
  bool my_sense;
#endif
  do
  :: /* All are in this round, or already in the next one. */
     assert(together((_pid + 1) % THREADS) && together((_pid + 2) % THREADS));
     round[_pid] = (round[_pid] + 1) % 3;
     wait()
  od
}
