/* a jump whose label a remote reference names is a step, too */
byte x;
active proctype P() { x = 1; L: goto M; x = 2; M: x = 2 }
active proctype Q() { P[0]@L -> x = 3 }
