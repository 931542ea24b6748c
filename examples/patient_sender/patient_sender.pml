/* Positive acknowledgement with retransmission, over two lines that take 3 ticks and lose messages. */
#ifndef To
#define To 7           /* the patience of the sender */
#endif
#define M 4
chan sf = [0] of { byte, bit };
chan fr = [0] of { byte, bit };
chan rb = [0] of { bit };
chan bs = [0] of { bit };
active proctype Snd() { timer t; byte n; bit tag;
next:  udelay(t);
       n = (n + 1) % M;
again: sf!n,tag; set(t, To);
       do
       :: bs?_ -> if
                  :: delay(t, 1); tag = 1 - tag; goto next
                  :: goto again
                  fi
       :: expire(t) -> goto again
       od }
active proctype Fwd() { timer t; byte n; bit tag;
  do :: sf?n,tag; delay(t, 3); if :: fr!n,tag :: skip fi od }
active proctype Bwd() { timer t;
  do :: rb?_; delay(t, 3); if :: bs!1 :: skip fi od }
active proctype Rcv() { timer t; byte n, want = 1; bit tag, exp;
get:   fr?n,tag;
       if
       :: tag == exp -> assert(n == want);
          delay(t, 1); exp = 1 - exp; want = (want + 1) % M
       :: tag != exp
       :: goto get
       fi;
       rb!1; delay(t, 1); goto get }
