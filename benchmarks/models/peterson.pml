/*
 * Mutual exclusion: Peterson's filter lock.
 *
 * PROCESSES climb LEVELS - 1 waiting rooms; each room keeps one of those that
 * enter it behind. The lock is right as long as there are no more processes
 * than levels. Sizes: PROCESSES, LEVELS.
 */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef LEVELS
#define LEVELS PROCESSES
#endif

byte level[PROCESSES];
byte last[LEVELS];
byte critical;

active [PROCESSES] proctype contender() {
  byte room, other;
  do
  :: room = 1;
     do
     :: room < LEVELS ->
          level[_pid] = room;
          last[room] = _pid;
          other = 0;
          do
          :: other == PROCESSES || last[room] != _pid -> break
          :: other < PROCESSES && (other == _pid || level[other] < room) -> other++
          od;
          room++
     :: room == LEVELS -> break
     od;
     critical++;
     assert(critical == 1);
     critical--;
     level[_pid] = 0
  od
}

ltl somebody_gets_in { [] <> (critical == 1) }
