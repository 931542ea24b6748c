/*
 * Cache coherence: a directory keeps the copies of one line coherent (MSI).
 *
 * Each cache asks the directory for a shared or an exclusive copy and gives it
 * back when it is told to. The directory serves one request at a time. Requests
 * wait in one buffered channel; orders and answers go over channels of their
 * own. Sizes: CACHES, VALUES (how many different values are written).
 */
#ifndef CACHES
#define CACHES 2
#endif
#ifndef VALUES
#define VALUES 2
#endif

mtype = { want_shared, want_exclusive, grant, recall, give_back };
mtype:line = { invalid, shared, exclusive };

chan request = [CACHES] of { mtype, byte };
chan to_cache[CACHES] = [1] of { mtype, byte };
chan from_cache[CACHES] = [1] of { mtype, byte };

byte latest;
byte n_exclusive, n_shared;

proctype cache(byte me) {
  mtype:line state = invalid;
  byte value, fetched;
  bool waiting;
  do
  :: state == invalid && !waiting -> request!want_shared(me); waiting = true
  :: state != exclusive && !waiting -> request!want_exclusive(me); waiting = true
  :: state == exclusive && !waiting ->
       atomic { value = (value + 1) % VALUES; latest = value }
  :: to_cache[me]?recall(_) ->
       atomic {
         if
         :: state == exclusive -> n_exclusive--
         :: state == shared -> n_shared--
         :: else
         fi;
         state = invalid
       };
       from_cache[me]!give_back(value);
       value = 0
  :: to_cache[me]?grant(fetched) ->
       waiting = false;
       atomic {
         value = fetched & 127;
         assert(value == latest);
         if
         :: fetched & 128 -> state = exclusive; n_exclusive++
         :: else -> state = shared; n_shared++
         fi;
         fetched = 0;
         assert(n_exclusive == 0 || (n_exclusive == 1 && n_shared == 0))
       }
  od
}

proctype directory() {
  byte memory, who, other;
  bool holds[CACHES];
  bool is_exclusive;
  mtype what;
  do
  :: request?what(who) ->
       other = 0;
       do
       :: other < CACHES && holds[other] && (what == want_exclusive || is_exclusive) ->
            to_cache[other]!recall(0);
            if
            :: is_exclusive -> from_cache[other]?give_back(memory)
            :: else -> from_cache[other]?give_back(_)
            fi;
            holds[other] = false;
            other++
       :: other < CACHES && !(holds[other] && (what == want_exclusive || is_exclusive)) -> other++
       :: other == CACHES -> break
       od;
       holds[who] = true;
       is_exclusive = (what == want_exclusive);
       to_cache[who]!grant(memory | (is_exclusive -> 128 : 0));
       who = 0; what = 0
  od
}

init {
  byte me;
  atomic {
    run directory();
    for (me : 0 .. CACHES - 1) { run cache(me) }
  }
}

ltl owner_is_alone { [] (n_exclusive > 0 -> n_shared == 0) }
