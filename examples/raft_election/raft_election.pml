/* Raft's election: a term has at most one leader, although nodes restart. */

#define NODES 3
#define MAJORITY (NODES / 2 + 1)
#ifndef TERMS
#define TERMS 1
#endif
#define ROOM ((NODES - 1) * TERMS)

#ifdef MENDED
#define forget votes = 0
#else
#define forget votes = 0; voted_for = 0
#endif

chan request[NODES] = [ROOM] of { byte, byte };  /* term, who asks for the vote */
chan vote[NODES]    = [ROOM] of { byte };        /* term */

byte leaders[TERMS + 1];   /* of each term */
bool restarted;            /* one node restarts, once */

inline stand_for_election() {
  term++;
  voted_for = _pid + 1;
  votes = 1;
  for (other : 0 .. NODES - 1) {
    if
    :: other != _pid -> request[other]!term, _pid
    :: else
    fi
  }
  other = 0
}

inline see_term(seen) {
  if
  :: seen > term -> term = seen; voted_for = 0; votes = 0
  :: else
  fi
}

active [NODES] proctype node() {
  byte term;        /* the latest that this node has seen; on disk */
  byte voted_for;   /* in this term: 0 is nobody, else the node plus one */
  byte votes;       /* for this node in this term; 0 unless it is a candidate */
  byte other, message_term;

end:
  do
  /* No leader was heard of for too long. */
  :: d_step { term < TERMS -> stand_for_election() }

  :: d_step {
       request[_pid]?message_term, other ->
       see_term(message_term);
       if
       :: message_term == term && (voted_for == 0 || voted_for == other + 1) ->
            voted_for = other + 1;
            vote[other]!term
       :: else
       fi;
       message_term = 0; other = 0
     }

  :: d_step {
       vote[_pid]?message_term ->
       if
       :: message_term == term && votes > 0 ->
            votes++;
            if
            :: votes == MAJORITY -> leaders[term]++; assert(leaders[term] == 1)
            :: else
            fi
       :: else
       fi;
       message_term = 0
     }

  /* Power fails: what is not on disk is gone. */
  :: d_step {
       !restarted -> restarted = true;
       forget
     }
  od
}
