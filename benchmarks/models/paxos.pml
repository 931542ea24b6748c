/*
 * Agreement among unreliable nodes: Paxos for a single value.
 *
 * Proposers ask the acceptors for a promise, then for their vote; a majority of
 * either is enough. Messages may be answered late or never, in any order. The
 * ballot of a proposer is its number plus one. What one proposer sees chosen,
 * every later one sees chosen too. Sizes: PROPOSERS, ACCEPTORS.
 */
#ifndef PROPOSERS
#define PROPOSERS 2
#endif
#ifndef ACCEPTORS
#define ACCEPTORS 3
#endif
#define MAJORITY (ACCEPTORS / 2 + 1)

mtype = { prepare, promise, accept, voted };

/* To an acceptor: kind, ballot, value. To a proposer: kind, ballot of its last vote, value of it. */
chan to_acceptor[ACCEPTORS] = [PROPOSERS] of { mtype, byte, byte };
chan to_proposer[PROPOSERS] = [ACCEPTORS] of { mtype, byte, byte };
byte chosen;

proctype proposer(byte me) {
  byte ballot, value, highest, count, a, voted_ballot, voted_value;
  ballot = me + 1;
  value = me + 1;
  a = 0;
  do
  :: a < ACCEPTORS -> to_acceptor[a]!prepare(ballot, 0); a++
  :: a == ACCEPTORS -> break
  od;
  do
  :: count < MAJORITY ->
end_no_promise:
       to_proposer[me]?promise(voted_ballot, voted_value);
       d_step {
         if
         :: voted_ballot > highest -> highest = voted_ballot; value = voted_value
         :: else
         fi;
         voted_ballot = 0; voted_value = 0;
         count++
       }
  :: count == MAJORITY -> break
  od;
  atomic { count = 0; highest = 0; a = 0 };
  do
  :: a < ACCEPTORS -> to_acceptor[a]!accept(ballot, value); a++
  :: a == ACCEPTORS -> break
  od;
  do
  :: count < MAJORITY ->
end_no_vote:
       if
       :: to_proposer[me]?voted(_, _) -> count++
       :: to_proposer[me]?promise(_, _)
       fi
  :: count == MAJORITY -> break
  od;
  assert(chosen == 0 || chosen == value);
  chosen = value
}

proctype acceptor(byte me) {
  byte promised, voted_ballot, voted_value, ballot, value;
end:
  do
  :: to_acceptor[me]?prepare(ballot, _) ->
       if
       :: ballot > promised -> promised = ballot; to_proposer[ballot - 1]!promise(voted_ballot, voted_value)
       :: else
       fi;
       ballot = 0
  :: to_acceptor[me]?accept(ballot, value) ->
       if
       :: ballot >= promised ->
            promised = ballot;
            voted_ballot = ballot;
            voted_value = value;
            to_proposer[ballot - 1]!voted(0, 0)
       :: else
       fi;
       ballot = 0; value = 0
  :: to_acceptor[me]?_,_,_
  od
}

init {
  byte n;
  atomic {
    for (n : 0 .. ACCEPTORS - 1) { run acceptor(n) }
    for (n : 0 .. PROPOSERS - 1) { run proposer(n) }
    n = 0
  }
}
