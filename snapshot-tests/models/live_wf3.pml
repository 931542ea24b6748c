/* a process that is ready to receive has no step of its own, so a run that never
   serves R2 is fair */
chan k = [0] of { bit };
bool hit;
active proctype A() { do :: k!1 od }
active proctype R1() { do :: k?_ od }
active proctype R2() { k?_; hit = true }
ltl p { <> hit }
