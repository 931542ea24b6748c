/* Workers share something that only one of them may use at a time. */

#ifndef N
#define N 2 /* workers */
#endif

bool taken;
byte inside;

active [N] proctype worker() {
  do
  ::
#ifndef BROKEN
     atomic { !taken -> taken = true };
#endif
     inside++;
     assert(inside == 1);
     inside--;
     taken = false
  od
}

ltl alone { [] (inside <= 1) }
