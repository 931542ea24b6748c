/* violated; with reduction, a nested search whose inner search judges the
   proviso on its own stack finds nothing here */
byte g, h;
active proctype A() { byte i; do :: g = 0; i == 0 od }
active proctype B() { byte j; do :: g = 1; j = 0 od }
ltl p { <> (h == 1) }
