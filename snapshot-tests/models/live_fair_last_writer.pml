/* P then Q is a fair run, both have ended, and n stays 2: violated with and
   without fairness; Spin's pan -a -f finds nothing */
byte n;
active proctype P() { n = 1 }
active proctype Q() { n = 2 }
ltl t { <> [] (n == 1) }
