/* as wf1, but C is ready to receive in every state: B can send in each, and a
   fair run lets it */
chan k = [0] of { bit };
bool hit;
active proctype A() { do :: k!0 od }
active proctype B() { do :: k!1; hit = true od }
active proctype C() { bit x; do :: k?x od }
ltl p { <> hit }
