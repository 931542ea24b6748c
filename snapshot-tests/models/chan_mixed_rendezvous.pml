/* a variable holds rendezvous channels with different fields: a value is cut to what its channel carries */
chan a = [0] of { byte };
chan b = [0] of { int };
chan v;
int n;
active proctype P() { if :: v = a :: v = b fi; v!300 }
active proctype Q() { int x; if :: a?x :: b?x fi; n = x; assert(n == 44 || n == 300) }
