/* which pid is given depends on who has ended */
// @pan -E
active proctype Old() { pid k; k = run Leaf(); assert(k != 2) }
active proctype Young() { skip }
proctype Leaf() { skip }
