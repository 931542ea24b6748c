/* retransmission over two delayed lossy lines: with this timeout it works */
#ifndef TMO
#define TMO 8
#endif
#define timer      int
#define set(t,v)   t = v
#define expire(t)  (t == 0)
#define tick(t)    if :: t >= 0 -> t = t - 1 :: else fi
#define delay(t,v) set(t,v); expire(t)
#define M 8
timer ts = -1, tr = -1, tf = -1, tb = -1;
chan sf = [0] of { byte, bit };
chan fr = [0] of { byte, bit };
chan rb = [0] of { bit };
chan bs = [0] of { bit };

active proctype Clock() {
  do :: timeout -> atomic { tick(ts); tick(tf); tick(tr); tick(tb) } od }

active proctype Snd() { byte n; bit tag;
next:  do :: delay(ts, 1) :: break od;
       n = (n + 1) % M;
again: sf!n,tag; set(ts, TMO);
       do
       :: bs?_ -> if
                  :: delay(ts, 1); tag = 1 - tag; goto next
                  :: goto again
                  fi
       :: expire(ts) -> goto again
       od }

active proctype Fwd() { byte n; bit tag;
  do :: sf?n,tag; delay(tf, 3); if :: fr!n,tag :: skip fi od }

active proctype Bwd() {
  do :: rb?_; delay(tb, 3); if :: bs!1 :: skip fi od }

active proctype Rcv() { byte n, want = 1; bit tag, exp;
get:   fr?n,tag;
       if
       :: tag == exp -> assert(n == want);
          delay(tr, 1); exp = 1 - exp; want = (want + 1) % M
       :: tag != exp
       :: goto get
       fi;
       rb!1; delay(tr, 1); goto get }
