/*
 * Connections that a table drives: two entities open and close sessions over
 * wires that lose messages. All that an entity does is to look up its state
 * and the event, in one d_step each. Sizes: SESSIONS, WIRE, RETRIES.
 */
#ifndef SESSIONS
#define SESSIONS 1
#endif
#ifndef WIRE
#define WIRE 2
#endif
#ifndef RETRIES
#define RETRIES 1
#endif

/* states */
#define CLOSED   0
#define LISTEN   1
#define SYN_SENT 2
#define SYN_RCVD 3
#define OPEN     4
#define FIN_WAIT 5
#define LAST_ACK 6
#define N_STATES 7

/* events; the first four also go over the wire */
#define E_SYN    0
#define E_SYNACK 1
#define E_ACK    2
#define E_FIN    3
#define E_OPEN   4
#define E_WAIT   5
#define E_CLOSE  6
#define N_EVENTS 7

#define IDX(s, e) ((s) * N_EVENTS + (e))
#define SEND(e)   ((e) + 1)
#define ROW(s, e, n, a) go_to[IDX(s, e)] = n; action[IDX(s, e)] = a

byte go_to[49];
byte action[49];

chan wire[2] = [WIRE] of { byte };
byte st[2];
byte sessions[2];
byte tries[2];
byte n_open;

/* Looks up the event ev of entity me, and sends what the table says unless the wire is full. */
#define FIRE \
	act = action[IDX(st[me], ev)]; \
	n_open = n_open - (st[me] == OPEN -> 1 : 0); \
	st[me] = go_to[IDX(st[me], ev)]; \
	n_open = n_open + (st[me] == OPEN -> 1 : 0); \
	if \
	:: act > 0 && nfull(wire[1 - me]) -> wire[1 - me]!act - 1 \
	:: act > 0 && full(wire[1 - me]) -> skip \
	:: act == 0 -> skip \
	fi; \
	act = 0; \
	ev = 0

proctype entity(byte me)
{
	byte ev, act;
end:
	do
	:: d_step { nempty(wire[me]) -> wire[me]?ev; tries[me] = 0; FIRE }
	:: d_step { st[me] == CLOSED && sessions[me] < SESSIONS ->
		sessions[me]++; tries[me] = 0; ev = E_OPEN; FIRE }
	:: d_step { st[me] == CLOSED && sessions[me] > 0 -> ev = E_WAIT; FIRE }
	:: d_step { st[me] == OPEN -> tries[me] = 0; ev = E_CLOSE; FIRE }
	:: d_step { st[me] == SYN_SENT && tries[me] < RETRIES && nfull(wire[1 - me]) ->
		tries[me]++; wire[1 - me]!E_SYN }
	:: d_step { (st[me] == FIN_WAIT || st[me] == LAST_ACK) && tries[me] < RETRIES && nfull(wire[1 - me]) ->
		tries[me]++; wire[1 - me]!E_FIN }
	:: d_step { st[me] != CLOSED && st[me] != OPEN && tries[me] >= RETRIES ->
		st[me] = CLOSED; tries[me] = 0 }
	:: d_step { st[me] == LISTEN && empty(wire[me]) && sessions[me] == SESSIONS ->
		st[me] = CLOSED }
	od
}

proctype loss()
{
	byte lost;
end:
	do
	:: d_step { nempty(wire[0]) -> wire[0]?lost; lost = 0 }
	:: d_step { nempty(wire[1]) -> wire[1]?lost; lost = 0 }
	od
}

proctype observer()
{
end:
	do
	:: d_step { n_open > 2 -> assert(false) }
	od
}

init {
	byte s, e;
	d_step {
		/* by default nothing happens */
		do
		:: s < N_STATES ->
			e = 0;
			do
			:: e < N_EVENTS -> ROW(s, e, s, 0); e++
			:: else -> break
			od;
			s++
		:: else -> break
		od;
		s = 0; e = 0;
		ROW(CLOSED,   E_OPEN,   SYN_SENT, SEND(E_SYN));
		ROW(CLOSED,   E_WAIT,   LISTEN,   0);
		ROW(CLOSED,   E_FIN,    CLOSED,   SEND(E_ACK));
		ROW(LISTEN,   E_SYN,    SYN_RCVD, SEND(E_SYNACK));
		ROW(SYN_SENT, E_SYN,    SYN_RCVD, SEND(E_SYNACK));
		ROW(SYN_SENT, E_SYNACK, OPEN,     SEND(E_ACK));
		ROW(SYN_RCVD, E_SYNACK, OPEN,     SEND(E_ACK));
		ROW(SYN_RCVD, E_ACK,    OPEN,     0);
		ROW(SYN_RCVD, E_FIN,    LAST_ACK, SEND(E_FIN));
		ROW(OPEN,     E_SYN,    OPEN,     SEND(E_ACK));
		ROW(OPEN,     E_CLOSE,  FIN_WAIT, SEND(E_FIN));
		ROW(OPEN,     E_FIN,    LAST_ACK, SEND(E_FIN));
		ROW(FIN_WAIT, E_ACK,    CLOSED,   0);
		ROW(FIN_WAIT, E_FIN,    CLOSED,   SEND(E_ACK));
		ROW(LAST_ACK, E_ACK,    CLOSED,   0);
		ROW(LAST_ACK, E_FIN,    CLOSED,   SEND(E_ACK))
	};
	atomic {
		run entity(0);
		run entity(1);
		run loss();
		run observer()
	}
}

ltl at_most_two { [] (n_open <= 2) }
