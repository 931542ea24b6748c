/* R2 can move only while the channel holds a message: violated; Spin with
   reduction finds nothing */
chan k = [1] of { bit };
bool hit;
active proctype R2() { k?_; hit = true }
active proctype R1() { do :: k?_ od }
active proctype S() { xs k; do :: k!1 od }
ltl p { <> hit }
