/* Three tasks on one processor, which the most important of those that can run has. Two of them share a lock. */

#define FREE 3
#define LOW 0
#define MIDDLE 1
#define HIGH 2

bool wants[3];          /* a task that has something to do */
byte holder = FREE;     /* of the lock */
bool is_blocked;        /* HIGH waits for the lock */

#define high_runs (wants[HIGH] && !is_blocked)

#ifdef MENDED
#define low_is_urgent (is_blocked && holder == LOW)   /* inherits the priority of who waits for it */
#else
#define low_is_urgent false
#endif

proctype low() provided (!high_runs && (!wants[MIDDLE] || low_is_urgent)) {
  do
  :: atomic { holder == FREE -> holder = LOW };
     skip;              /* uses what the lock protects */
     d_step { holder = FREE; is_blocked = false }
  od
}

proctype middle() provided (wants[MIDDLE] && !high_runs && !low_is_urgent) {
  do
  :: skip               /* computes for as long as it likes */
  :: wants[MIDDLE] = false
  od
}

proctype high() provided (high_runs) {
  do
  :: if
     :: atomic { holder == FREE -> holder = HIGH }
     :: atomic { holder != FREE -> is_blocked = true };
        atomic { holder == FREE -> holder = HIGH }
     fi;
     d_step { holder = FREE; wants[HIGH] = false }
  od
}

/* Something happens that a task has to deal with. */
active proctype interrupts() {
end:
  do
  :: !wants[HIGH] -> wants[HIGH] = true
  :: !wants[MIDDLE] -> wants[MIDDLE] = true
  od
}

init { atomic { run low(); run middle(); run high() } }

ltl high_is_served { [] (wants[HIGH] -> <> !wants[HIGH]) }
