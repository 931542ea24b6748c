/* as wf2, but C is ready to receive in every state, so B can always move */
chan k = [0] of { bit };
byte g; bool hit;
active proctype A() { do :: g = 1; k!0; g = 0 od }
active proctype B() { if :: k!1 :: g == 1 fi; hit = true }
active proctype C() { bit x; do :: k?x od }
ltl p { <> hit }
