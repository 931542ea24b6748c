/* No violation: channels keep the order, so an old message is never taken for a new one. Noise makes the space wide. */
mtype = { data, ack };
chan to = [3] of { mtype, byte, bit }; chan back = [3] of { mtype, bit };
active proctype Sender() {
  byte n; bit b, r;
  do
  :: to!data(n, b)
  :: back?ack(r); if :: r == b -> b = 1 - b; n = (n + 1) % 16 :: else fi
  od
}
active proctype Receiver() {
  byte m, next; bit b, wanted;
  do
  :: to?data(m, b);
     if :: b == wanted -> assert(m == next); next = (next + 1) % 16; wanted = 1 - wanted :: else fi;
     if :: back!ack(b) :: skip fi
  od
}
active proctype Noise() { byte i, j; do :: i = (i + 1) % 20 :: j = (j + 1) % 20 od }
