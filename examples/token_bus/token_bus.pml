/* A token goes round; who has it may send for HOLD ticks, and it takes PASS ticks to the next station. */
#ifndef DEADLINE
#define DEADLINE 7
#endif
#define N 3
#define HOLD 2
#define PASS 1

byte holder;
timer due[N];          /* a station must have the token again before this runs out */

active [N] proctype station() {
  timer t;
  set(due[_pid], DEADLINE);
  do
  :: holder == _pid ->
     set(due[_pid], DEADLINE);
     if :: delay(t, HOLD) :: delay(t, 1) :: skip fi;
     delay(t, PASS);
     holder = (_pid + 1) % N
  od
}

ltl in_time { [] !(expire(due[0]) || expire(due[1]) || expire(due[2])) }
