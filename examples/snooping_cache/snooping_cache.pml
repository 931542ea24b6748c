/*
 * Caches on a bus that all of them watch: MSI. A line is modified in one cache at most, and then nowhere else. Who writes
 * asks for the bus and invalidates the others in one transaction; what was modified is written back first.
 */
#include "symmetry.h"
#ifndef N
#define N 3
#endif
#define Cache scalarset(N)

mtype = { invalid, shared, modified };

mtype line[N] = invalid;
bit value[N], memory, latest;
Cache owner = none;

active [N] proctype cache() {
  byte i;
end:
  do
  /* A miss to read: the owner writes back, and both share. */
  :: d_step {
       line[_pid] == invalid ->
       if
       :: owner != none -> memory = value[owner]; line[owner] = shared
       :: else
       fi;
       owner = none;
       value[_pid] = memory;
       line[_pid] = shared
     }
  /* A miss or a hit to write: all others are invalidated. */
  :: d_step {
       line[_pid] != modified ->
#ifndef FORGETS
       if
       :: owner != none -> memory = value[owner]
       :: else
       fi;
#endif
       value[_pid] = (line[_pid] == invalid -> memory : value[_pid]);
       for (i : 0 .. N - 1) {
         line[i] = (i == _pid -> modified : invalid)
       };
       i = 0;
       owner = _pid
     }
  :: d_step { line[_pid] == modified -> value[_pid] = !value[_pid]; latest = value[_pid] }
  /* The line is needed for something else. */
  :: d_step {
       line[_pid] != invalid ->
       if
       :: owner == _pid -> memory = value[_pid]; owner = none
       :: else
       fi;
       line[_pid] = invalid;
       value[_pid] = 0
     }
  :: line[_pid] != invalid -> assert(line[_pid] == invalid || value[_pid] == latest)
  od
}
