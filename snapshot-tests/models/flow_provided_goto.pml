/* the same step can be held up by a provided clause */
byte x;
active proctype P() provided (x != 1) { atomic { x = 2; x = 1; goto L; x = 3 }; x = 4; L: x = 5 }
active proctype Q() { x == 1; x = 2; x == 5; x = 0 }
