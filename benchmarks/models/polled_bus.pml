/*
 * A bus that is polled: devices put requests and alarms into short queues, and a
 * master looks into each of them and serves what it finds, in atomic steps within
 * atomic steps. Sizes: DEVICES, DEPTH (of the queues), RETRY.
 */
#ifndef DEVICES
#define DEVICES 3
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef RETRY
#define RETRY 1
#endif

mtype = { req, irq, nak, data, stall };

chan up[DEVICES] = [DEPTH] of { mtype, byte };
chan down[DEVICES] = [1] of { mtype, byte };
chan irqs = [DEVICES] of { byte };
byte pending, served, naks;
byte owner = DEVICES;

proctype device(byte id)
{
	byte seq, left;
	bool wants;
	do
	:: atomic { !wants && nfull(up[id]) ->
		wants = true;
		atomic { up[id]!req(seq); pending++ };
		if
		:: nfull(irqs) && !irqs??[eval(id)] -> irqs!id
		:: full(irqs) || irqs??[eval(id)] -> skip
		fi }
	:: atomic { down[id]?[data] -> down[id]?data(_); seq = 1 - seq; wants = false; left = 0 }
	:: atomic { down[id]?[nak] ->
		down[id]?nak(_);
		if
		:: left < RETRY && nfull(up[id]) -> left++; up[id]!req(seq); pending++
		:: left == RETRY || full(up[id]) -> left = 0; wants = false
		fi }
	:: atomic { down[id]?[stall] -> down[id]?stall(_); wants = false; left = 0 }
	od
}

proctype master()
{
	byte who, seq;
	mtype what;
	do
	/* an alarm goes first */
	:: atomic { nempty(irqs) ->
		irqs?who;
		if
		:: up[who]?[req] && nfull(down[who]) ->
			owner = who;
			atomic {
				up[who]?req(seq);
				pending--;
				if
				:: down[who]!data(seq); served = (served + 1) % 4
				:: down[who]!nak(seq); naks = (naks + 1) % 2
				fi
			};
			owner = DEVICES
		:: !up[who]?[req] || full(down[who]) -> skip
		fi;
		who = 0; seq = 0 }
	/* else all of them, one after the other */
	:: atomic { empty(irqs) ->
		who = 0;
		do
		:: who < DEVICES && up[who]?[req] && nfull(down[who]) -> break
		:: who < DEVICES && (!up[who]?[req] || full(down[who])) -> who++
		:: who == DEVICES -> break
		od;
		if
		:: who < DEVICES -> owner = who
		:: who == DEVICES && pending > 0 -> skip
		:: who == DEVICES && pending == 0 -> skip
		fi };
		if
		:: atomic { owner < DEVICES ->
			up[owner]?what(seq);
			pending--;
			if
			:: down[owner]!stall(0)
			:: down[owner]!data(seq)
			fi;
			what = 0; seq = 0; who = 0;
			owner = DEVICES }
		:: owner == DEVICES -> who = 0
		fi
	od
}

init {
	byte n;
	atomic {
		run master();
		do
		:: n < DEVICES -> run device(n); n++
		:: n == DEVICES -> break
		od;
		n = 0
	}
}

ltl few_pending { [] (pending <= DEVICES * DEPTH) }
