/*
 * Two-phase commit: a coordinator asks everybody, and decides.
 *
 * A participant may vote no, or not answer; the coordinator may give up waiting.
 * Nobody commits while another one aborts. Sizes: PARTICIPANTS, ROUNDS.
 */
#ifndef PARTICIPANTS
#define PARTICIPANTS 4
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

mtype = { ask, yes, no, commit, abort, done };

chan order[PARTICIPANTS] = [1] of { mtype };
chan answer = [PARTICIPANTS] of { mtype, byte };

byte committed, aborted;

active proctype coordinator() {
  byte round, n, votes, who;
  bool refused;
  do
  :: round < ROUNDS ->
       n = 0;
       do
       :: n < PARTICIPANTS -> order[n]!ask; n++
       :: n == PARTICIPANTS -> break
       od;
       do
       :: votes < PARTICIPANTS ->
            if
            :: answer?yes(who) -> votes++
            :: answer?no(who) -> votes++; refused = true
            fi;
            who = 0
       :: votes == PARTICIPANTS -> break
       od;
       n = 0;
       do
       :: n < PARTICIPANTS && refused -> order[n]!abort; n++
       :: n < PARTICIPANTS && !refused -> order[n]!commit; n++
       :: n == PARTICIPANTS -> break
       od;
       n = 0; votes = 0; refused = false;
       do
       :: n < PARTICIPANTS -> answer?done(who); n++; who = 0
       :: n == PARTICIPANTS -> break
       od;
       assert(committed == 0 || aborted == 0);
       committed = 0; aborted = 0;
       round++
  :: round == ROUNDS -> break
  od
}

active [PARTICIPANTS] proctype participant() {
  byte me = _pid - 1;
  bool prepared, log[3];
end:
  do
  :: order[me]?ask ->
       log[0] = true;
       if
       :: prepared = true; log[1] = true; answer!yes(me)
       :: answer!no(me)
       fi
  :: order[me]?commit ->
       assert(prepared);
       log[2] = true;
       atomic { committed++; assert(aborted == 0) };
       prepared = false;
       log[0] = false; log[1] = false; log[2] = false;
       answer!done(me)
  :: order[me]?abort ->
       atomic { aborted++; assert(committed == 0) };
       prepared = false;
       log[0] = false; log[1] = false;
       answer!done(me)
  od
}

ltl rounds_end { <> [] (committed == 0 && aborted == 0) }
