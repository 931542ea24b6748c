/* weak fairness and rendezvous: B can send in only some states of the cycle, in
   which C and A go round, so the cycle is fair */
chan k = [0] of { bit };
bool hit;
active proctype A() { do :: k!0 od }
active proctype B() { do :: k!1; hit = true od }
active proctype C() { bit x; do :: k?x; x = 0 od }
ltl p { <> hit }
