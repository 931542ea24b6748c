/*
 * Rendezvous: stations hand a token round, and whoever has it may talk.
 *
 * The token names who asked last, so that a station with nothing to say hands it
 * on at once. All talk is by rendezvous. Sizes: STATIONS, MESSAGES.
 */
#ifndef STATIONS
#define STATIONS 3
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif

mtype = { token, data, ack };

chan ring[STATIONS] = [0] of { mtype, byte };
chan talk[STATIONS] = [0] of { mtype, byte };
byte talking;

active [STATIONS] proctype station() {
  byte waiting, turn, from;
  bool has_token;
  has_token = (_pid == 0);
  do
  :: waiting < MESSAGES -> waiting++
  :: ring[_pid]?token(turn) -> has_token = true
  :: has_token && waiting > 0 ->
       talking++;
       assert(talking == 1);
       if
       :: talk[(_pid + 1) % STATIONS]!data(_pid)
       :: talk[(_pid + STATIONS - 1) % STATIONS]!data(_pid)
       fi;
       talk[_pid]?ack(_);
       talking--;
       waiting--
  :: has_token ->
       ring[(_pid + 1) % STATIONS]!token((turn + 1) % STATIONS);
       has_token = false;
       turn = 0
  :: talk[_pid]?data(from) ->
       talk[from]!ack(_pid);
       from = 0
  od
}

ltl one_talks { [] (talking < 2) }
