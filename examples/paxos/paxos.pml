/* Paxos for a single value: what a majority has once chosen stays chosen. */

#define PROPOSERS 2
#define ACCEPTORS 3
#define MAJORITY (ACCEPTORS / 2 + 1)

/* Each acceptor: the highest ballot that it has promised to, and its last vote. */
byte promised[ACCEPTORS], voted_ballot[ACCEPTORS], voted_value[ACCEPTORS];

byte votes[PROPOSERS + 1];    /* in each ballot */
byte value_of[PROPOSERS + 1]; /* what the votes are for */

#define is_chosen(ballot) (votes[ballot] >= MAJORITY)

#ifdef MENDED
#define KEEPS_PROMISES true
#else
#define KEEPS_PROMISES false
#endif

/* "Promise to take part in no lower ballot, and tell me what you voted for last." */
inline prepare(a) {
  if
  :: ballot > promised[a] ->
       promised[a] = ballot;
       n_promises++;
       if
       :: voted_ballot[a] > highest -> highest = voted_ballot[a]; value = voted_value[a]
       :: else
       fi
  :: else
  fi
}

/* "Vote for this value." */
inline accept(a) {
  if
  :: KEEPS_PROMISES && ballot < promised[a]   /* refuses */
  :: else ->
       promised[a] = ballot;
       voted_ballot[a] = ballot;
       voted_value[a] = value;
       votes[ballot]++;
       value_of[ballot] = value;
       assert(!(is_chosen(1) && is_chosen(2)) || value_of[1] == value_of[2])
  fi
}

/* A request and its answer are one step. Any of them may be lost. */
active [PROPOSERS] proctype proposer() {
  byte ballot = _pid + 1;
  byte value = 10 * ballot;
  byte highest, n_promises, a;

  do
  :: d_step { a < ACCEPTORS -> prepare(a); a++ }
  :: a < ACCEPTORS -> a++      /* lost */
  :: a == ACCEPTORS -> break
  od;
  if
  :: d_step { n_promises >= MAJORITY -> a = 0 };
     do
     :: d_step { a < ACCEPTORS -> accept(a); a++ }
     :: a < ACCEPTORS -> a++   /* lost */
     :: a == ACCEPTORS -> break
     od
  :: n_promises < MAJORITY     /* gives up */
  fi
}
