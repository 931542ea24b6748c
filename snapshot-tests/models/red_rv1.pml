/* a rendezvous that is answered once */
chan k = [0] of { bit };
byte n;
active proctype A() { k!1; n = 1; k!1 }
active proctype B() { k?_; n == 1; n = 2 }
