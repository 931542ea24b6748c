/* a cluster with a statement that another process can enable: an invalid end state */
byte g, v;
active proctype One() { v = 1 }
active proctype Two() { g == 1; v = 2; v == 2 }
active proctype Three() { g = 1 }
