/* the same with a formula: the last state is repeated for ever */
byte g;
active proctype Stop() { g == 1 }
active proctype Also() { g == 2 }
ltl p { <> (g == 1) }
