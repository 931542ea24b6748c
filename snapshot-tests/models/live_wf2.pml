/* B can move in only some states of the cycle, by one branch or the other: to
   hide the states between costs the counterexample */
chan k = [0] of { bit };
byte g; bool hit;
active proctype A() { do :: g = 1; k!0; g = 0 od }
active proctype B() { if :: k!1 :: g == 1 fi; hit = true }
active proctype C() { bit x; do :: k?x; x = 0 od }
ltl p { <> hit }
