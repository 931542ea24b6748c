/*
 * A PLC: a scan reads all inputs, evaluates the rungs, runs the timers and writes
 * all outputs; the plant and its operator go on between two scans.
 * Sizes: FULL (steps of the tank), PRESET (of the timers, in scans), TANKS.
 */
#ifndef FULL
#define FULL 4
#endif
#ifndef PRESET
#define PRESET 3
#endif
#ifndef TANKS
#define TANKS 1
#endif

typedef TON { bool in; bool q; byte et }
typedef TANK { byte level; bool inlet; bool outlet; bool motor; bool hot }

TANK tank[TANKS];
bool button_start, button_stop, button_reset;

/* process images */
bool I_start, I_stop, I_reset, I_low[TANKS], I_high[TANKS], I_hot[TANKS];
bool Q_in[TANKS], Q_out[TANKS], Q_motor[TANKS], Q_lamp;
/* memory bits */
bool M_run, M_fill[TANKS], M_mix[TANKS], M_drain[TANKS], M_fault;
TON T_mix[TANKS], T_guard;
byte turn;

#define RUN_TIMER(t, input) \
	t.in = input; \
	if \
	:: !t.in -> t.et = 0; t.q = false \
	:: t.in && t.et < PRESET -> t.et++; t.q = (t.et == PRESET) \
	:: else -> t.q = true \
	fi

active proctype plc()
{
	byte n;
	do
	:: turn == 0 ->
		/* inputs */
		d_step {
			I_start = button_start; I_stop = button_stop; I_reset = button_reset;
			n = 0;
			do
			:: n < TANKS ->
				I_low[n] = (tank[n].level > 0);
				I_high[n] = (tank[n].level == FULL);
				I_hot[n] = tank[n].hot;
				n++
			:: else -> break
			od;
			n = 0
		};
		/* network 1: run and fault */
		d_step {
			M_run = (I_start || M_run) && !I_stop && !M_fault;
			RUN_TIMER(T_guard, (M_run && I_hot[0]));
			M_fault = (M_fault || T_guard.q) && !I_reset
		};
		/* network 2: the sequence of each tank */
		d_step {
			n = 0;
			do
			:: n < TANKS ->
				M_fill[n] = M_run && !I_high[n] && !M_mix[n] && !M_drain[n];
				RUN_TIMER(T_mix[n], (M_mix[n] && M_run));
				M_drain[n] = (M_drain[n] || T_mix[n].q) && I_low[n];
				M_mix[n] = ((M_run && I_high[n]) || M_mix[n]) && !M_drain[n] && !M_fault;
				n++
			:: else -> break
			od;
			n = 0
		};
		/* outputs */
		d_step {
			do
			:: n < TANKS ->
				Q_in[n] = M_fill[n] && !M_drain[n];
				Q_out[n] = M_drain[n] && !M_fill[n];
				Q_motor[n] = M_mix[n];
				tank[n].inlet = Q_in[n];
				tank[n].outlet = Q_out[n];
				tank[n].motor = Q_motor[n];
				assert(!(tank[n].inlet && tank[n].outlet));
				n++
			:: else -> break
			od;
			n = 0;
			Q_lamp = M_fault;
			turn = 1
		}
	od
}

active proctype plant()
{
	byte k;
	do
	:: turn == 1 ->
		/* the operator */
		if
		:: d_step { !button_start && !M_run -> button_start = true; button_stop = false }
		:: d_step { button_start -> button_start = false }
		:: d_step { !button_stop && M_run -> button_stop = true }
		:: d_step { button_stop -> button_stop = false }
		:: d_step { Q_lamp && !button_reset -> button_reset = true }
		:: d_step { button_reset -> button_reset = false }
		:: skip
		fi;
		/* physics: each tank moves or not */
		k = 0;
		do
		:: k < TANKS ->
			if
			:: d_step { tank[k].inlet && tank[k].level < FULL -> tank[k].level++ }
			:: d_step { tank[k].outlet && tank[k].level > 0 -> tank[k].level-- }
			:: d_step { tank[k].motor && !tank[k].hot -> tank[k].hot = true }
			:: d_step { tank[k].hot && !tank[k].motor -> tank[k].hot = false }
			:: skip
			fi;
			k++
		:: else -> break
		od;
		k = 0;
		assert(tank[0].level <= FULL);
		turn = 0
	od
}

ltl no_way_through { [] !(tank[0].inlet && tank[0].outlet) }
