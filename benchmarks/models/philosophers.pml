/*
 * The dining philosophers, with a waiter who lets one fewer than all sit down.
 *
 * Size: PHILOSOPHERS.
 */
#ifndef PHILOSOPHERS
#define PHILOSOPHERS 6
#endif
#define LEFT  _pid
#define RIGHT ((_pid + 1) % PHILOSOPHERS)

bool taken[PHILOSOPHERS];
byte seated, eating;

active [PHILOSOPHERS] proctype philosopher() {
  do
  :: atomic { seated < PHILOSOPHERS - 1 -> seated++ };
     atomic { !taken[LEFT] -> taken[LEFT] = true };
     atomic { !taken[RIGHT] -> taken[RIGHT] = true };
     eating++;
     assert(eating <= PHILOSOPHERS / 2);
     eating--;
     taken[LEFT] = false;
     taken[RIGHT] = false;
     seated--
  od
}

ltl somebody_eats { [] <> (eating > 0) }
