/*
 * Nodes without numbers elect one of them. In each round every candidate throws a coin; if there are heads, those with
 * tails are out. Who is left alone is the leader. Without luck a round changes nothing, so nothing is promised about the
 * end.
 */
#include "symmetry.h"
#ifndef N
#define N 3
#endif
#define Node scalarset(N)

bool is_candidate[N] = true, has_thrown[N], has_heads[N];
byte n_candidates = N, n_thrown, n_heads;
Node leader = none;

active [N] proctype node() {
  byte i;
end:
  do
  :: atomic {
       is_candidate[_pid] && !has_thrown[_pid] && n_candidates > 1 ->
       has_thrown[_pid] = true;
       n_thrown++;
       if
       :: has_heads[_pid] = true; n_heads++
       :: skip
       fi
     }
  /* The round ends when all have thrown. */
  :: d_step {
       n_thrown == n_candidates && n_candidates > 1 ->
       for (i : 0 .. N - 1) {
         is_candidate[i] = is_candidate[i] && (has_heads[i] || n_heads == 0);
         has_thrown[i] = false;
         has_heads[i] = false
       };
       n_candidates = (n_heads > 0 -> n_heads : n_candidates);
       n_thrown = 0;
       n_heads = 0;
       i = 0
     }
  :: atomic {
       n_candidates == 1 && is_candidate[_pid] && leader != _pid ->
       assert(leader == none);
       leader = _pid
     }
  od
}

ltl one_stays { [] (leader == none || n_candidates == 1) }
