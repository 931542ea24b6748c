/* the same if only the value of a variable tells that it is one */
chan a = [0] of { byte };
chan b = [1] of { byte };
chan v;
byte n;
active proctype P() { v = b; d_step { v!3; n = 1 }; v = a; d_step { v!3; n = 2 } }
active proctype Q() { byte x; if :: a?x :: b?x fi }
