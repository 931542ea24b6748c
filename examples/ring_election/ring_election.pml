/* Election of a leader in a ring, after Chang and Roberts: the node with the largest number wins. */

#define NODES 3

#ifdef SAME_NUMBERS
#define number_of(place) ((place) / 2 + 1)   /* 1, 1, 2 */
#else
#define number_of(place) (((place) * 2) % NODES + 1)   /* 1, 3, 2 */
#endif

chan link[NODES] = [NODES] of { byte };   /* to the node on the right */
byte leaders;

#define left ((_pid + NODES - 1) % NODES)

active [NODES] proctype node() {
  byte mine = number_of(_pid), seen;

  link[_pid]!mine;
end:
  do
  :: link[left]?seen ->
       if
       :: seen > mine -> link[_pid]!seen     /* hand on what is larger, */
       :: seen < mine                        /* drop what is smaller */
       :: seen == mine -> leaders++; assert(leaders == 1)
       fi;
       seen = 0
  od
}

ltl somebody_wins { <> (leaders == 1) }
