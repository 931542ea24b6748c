/* the alternating bit protocol with one retry, lossy channels with room for 3, after Valmari and Vogler 2016 */
#ifndef C
#define C 3
#endif
mtype = { f0,f1,d0N,d0Y,d1N,d1Y,a0,a1 };
chan D = [C] of { mtype };
chan A = [C] of { mtype };
#ifdef T
#define TT :: true -> goto sd
#else
#define TT
#endif
active proctype Sender() {
U0:	if :: true -> goto F0N :: true -> goto F0Y TT fi;
F0N:	D!f0; goto W0N;
F0Y:	D!f0; goto W0Y;
W0N:	if :: true -> goto U0 :: A?a0 -> goto S1N :: A?a1 -> goto W0N fi;
W0Y:	if :: true -> goto U0 :: A?a0 -> goto S1Y :: A?a1 -> goto W0Y fi;
S1N:	D!d1N; goto X1;
S1Y:	D!d1Y; goto X1;
X1:	if :: true -> goto U1 :: A?a1 -> goto K1 :: A?a0 -> goto X1 fi;
K1:	true; goto C1;
C1:	if :: true -> goto S0N :: true -> goto S0Y TT fi;
U1:	if :: true -> goto F1N :: true -> goto F1Y TT fi;
F1N:	D!f1; goto W1N;
F1Y:	D!f1; goto W1Y;
W1N:	if :: true -> goto U1 :: A?a1 -> goto S0N :: A?a0 -> goto W1N fi;
W1Y:	if :: true -> goto U1 :: A?a1 -> goto S0Y :: A?a0 -> goto W1Y fi;
S0N:	D!d0N; goto X0;
S0Y:	D!d0Y; goto X0;
X0:	if :: true -> goto U0 :: A?a0 -> goto K0 :: A?a1 -> goto X0 fi;
K0:	true; goto C0;
C0:	if :: true -> goto S1N :: true -> goto S1Y TT fi;
#ifdef T
sd:	false
#endif
}
active proctype Receiver() {
P0:	if :: D?d1N -> goto B1N :: D?d1Y -> goto B1Y :: D?d0N -> goto Q0 :: D?d0Y -> goto Q0
	:: D?f0 -> goto Q0 :: D?f1 -> goto Q1 fi;
P1:	if :: D?d0N -> goto B0N :: D?d0Y -> goto B0Y :: D?d1N -> goto Q1 :: D?d1Y -> goto Q1
	:: D?f0 -> goto Q0 :: D?f1 -> goto Q1 fi;
B0N:	true; goto Q0;
B0Y:	true; goto Q0;
B1N:	true; goto Q1;
B1Y:	true; goto Q1;
Q0:	A!a0; goto P0;
Q1:	A!a1; goto P1
}
active proctype Loss() { do :: D?_ :: A?_ od }
