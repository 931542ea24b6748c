/* the index of a rendezvous channel in a receive, without a sender */
chan c[2] = [0] of { byte };
byte i = 3;
active proctype P() { byte x; end: c[i]?x }
active proctype Q() { i = 4; i = 1; end: false }
