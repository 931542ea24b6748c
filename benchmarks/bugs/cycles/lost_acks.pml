/* Early, in a space that grows with the window: a medium may lose every acknowledgement, and nothing asks for fairness. */
#ifndef WINDOW
#define WINDOW 3
#endif
mtype = { data, ack };
chan there = [WINDOW] of { mtype, byte };
chan back = [WINDOW] of { mtype, byte };
byte sent, received, acked; bool waits;
active proctype Sender() {
	byte n;
	do
	:: sent - acked < WINDOW -> there!data(sent % 8); sent = (sent + 1) % 8; if :: sent < acked -> acked = 0; sent = 0 :: else fi
	:: back?ack(n) -> acked = n; waits = false
	:: nempty(there) -> waits = true
	od
}
active proctype Receiver() {
	byte n;
	do
	:: there?data(n) -> received = n; back!ack(n)
	od
}
active proctype Loss() { do :: back?ack(_) od }
ltl answered { [] (waits -> <> !waits) }
