/* a variable holds a rendezvous channel or a buffered one: each is sent to and received from in its own way */
chan a = [0] of { byte };
chan b = [1] of { byte };
chan v;
byte n;
active proctype P() { if :: v = a :: v = b fi; v!3; n++ }
active proctype Q() {
  byte x;
  (v != 0);
  if :: len(v) > 0 -> n = n + 2 :: v?x fi;
  if :: a?x :: b?x :: n > 1 fi
}
