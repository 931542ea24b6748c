/* A road crosses two railway tracks. The gate is down while a train is on the crossing. */

#define TRACKS 2

mtype = { near, gone, lower, raise };

chan sensor = [TRACKS] of { mtype, byte };   /* which track */
chan signal[TRACKS] = [0] of { bool };       /* green: the train may pass */
chan gate = [0] of { mtype };

bool is_down;
byte on_crossing;       /* trains */
bool car_crosses;

active [TRACKS] proctype train() {
  do
  :: sensor!near(_pid);
     signal[_pid]?true;
     on_crossing++;
     assert(!car_crosses);
     on_crossing--;
     sensor!gone(_pid)
  od
}

active proctype control() {
  byte trains, track;
  do
  :: sensor?near(track) ->
       trains++;
       if
       :: is_down
       :: else -> gate!lower; is_down
       fi;
       signal[track]!true;
       track = 0
  :: sensor?gone(_) ->
       trains--;
#ifdef MENDED
       if
       :: trains == 0 -> gate!raise; !is_down
       :: else
       fi
#else
       gate!raise; !is_down
#endif
  od
}

active proctype barrier() {
  do
  :: gate?lower -> atomic { !car_crosses -> is_down = true }
  :: gate?raise -> is_down = false
  od
}

active proctype car() {
  do
  :: atomic { !is_down -> car_crosses = true };
     assert(on_crossing == 0);
     car_crosses = false
  od
}
