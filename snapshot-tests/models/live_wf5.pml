/* the same with a second way for R2 to move: violated; Spin with reduction
   finds nothing */
chan k = [2] of { bit };
bool hit; byte g;
active proctype R2() { if :: k?_ :: g == 1 fi; hit = true }
active proctype R1() { do :: g = 1; k?_; g = 0 od }
active proctype S() { xs k; do :: k!1 od }
ltl p { <> hit }
