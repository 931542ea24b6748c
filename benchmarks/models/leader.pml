/*
 * Leader election in a ring, after Chang and Roberts.
 *
 * Every node may wake up by itself, and sends its number round. A node hands on
 * larger numbers than its own and drops smaller ones; who gets its own number
 * back is the leader and says so to all. Size: NODES.
 */
#ifndef NODES
#define NODES 4
#endif

mtype = { candidate, elected };

chan link[NODES] = [NODES] of { mtype, byte };
byte leaders, informed;

ltl one_leader { <> (leaders == 1) }

/* The numbers are spread over the ring so that they come neither up nor down. */
#define NUMBER(place) (((place) * 3 + 1) % NODES * NODES + (place))

active [NODES] proctype node() {
  byte mine = NUMBER(_pid), seen;
  bool awake, known;
  do
  :: !awake -> awake = true; link[_pid]!candidate(mine)
  :: link[(_pid + NODES - 1) % NODES]?candidate(seen) ->
       if
       :: seen > mine -> awake = true; link[_pid]!candidate(seen)
       :: seen < mine -> skip
       :: seen == mine -> leaders++; known = true; link[_pid]!elected(mine)
       fi
  :: link[(_pid + NODES - 1) % NODES]?elected(seen) ->
       informed++;
       if
       :: known -> assert(seen == mine)
       :: else -> known = true; link[_pid]!elected(seen)
       fi;
       break
  od;
  assert(leaders == 1)
}
