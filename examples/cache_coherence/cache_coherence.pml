/* Cache coherence with a directory (MSI): who may write to a line has the only copy of it. */

#define CACHES 2

mtype = { get_shared, get_exclusive, grant_shared, grant_exclusive, invalidate };
mtype:line = { invalid, shared, modified };

chan request = [CACHES] of { mtype, byte };
chan order[CACHES] = [2] of { mtype };      /* from the directory to a cache */
chan done = [CACHES] of { byte };           /* a cache has given up its copy */

mtype:line line[CACHES] = invalid;

active [CACHES] proctype cache() {
  bool is_waiting;
  do
  :: line[_pid] == invalid && !is_waiting -> request!get_shared(_pid); is_waiting = true
  :: line[_pid] != modified && !is_waiting -> request!get_exclusive(_pid); is_waiting = true

  :: order[_pid]?grant_shared -> line[_pid] = shared; is_waiting = false
  :: order[_pid]?grant_exclusive -> line[_pid] = modified; is_waiting = false
  :: order[_pid]?invalidate ->
       line[_pid] = invalid;
       done!_pid
  od
}

active proctype directory() {
  bool has_copy[CACHES];
  bool is_modified;
  byte who, other, n_orders;
  mtype what;

  do
  :: request?what(who) ->
       for (other : 0 .. CACHES - 1) {
         if
         :: other != who && has_copy[other] && (what == get_exclusive || is_modified) ->
              order[other]!invalidate;
              has_copy[other] = false;
              n_orders++
         :: else
         fi
       }
#ifdef MENDED
       do
       :: n_orders > 0 -> done?_; n_orders--
       :: else -> break
       od;
#endif
       has_copy[who] = true;
       is_modified = (what == get_exclusive);
       if
       :: is_modified -> order[who]!grant_exclusive
       :: else -> order[who]!grant_shared
       fi;
#ifndef MENDED
       do
       :: n_orders > 0 -> done?_; n_orders--
       :: else -> break
       od;
#endif
       who = 0; other = 0; what = 0
  od
}

ltl writer_is_alone { [] !(line[0] == modified && line[1] != invalid || line[1] == modified && line[0] != invalid) }
