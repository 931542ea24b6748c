/* the same with channels made of one-place cells */
#ifndef C
#define C 2
#endif
mtype = { f0,f1,d0N,d0Y,d1N,d1Y,a0,a1 };
chan D[C+1] = [0] of { mtype };
chan A[C+1] = [0] of { mtype };
#ifdef T
#define TT :: true -> goto sd
#else
#define TT
#endif
active proctype Sender() {
U0:	if :: true -> goto F0N :: true -> goto F0Y TT fi;
F0N:	D[0]!f0; goto W0N;
F0Y:	D[0]!f0; goto W0Y;
W0N:	if :: true -> goto U0 :: A[C]?a0 -> goto S1N :: A[C]?a1 -> goto W0N fi;
W0Y:	if :: true -> goto U0 :: A[C]?a0 -> goto S1Y :: A[C]?a1 -> goto W0Y fi;
S1N:	D[0]!d1N; goto X1;
S1Y:	D[0]!d1Y; goto X1;
X1:	if :: true -> goto U1 :: A[C]?a1 -> goto K1 :: A[C]?a0 -> goto X1 fi;
K1:	true; goto C1;
C1:	if :: true -> goto S0N :: true -> goto S0Y TT fi;
U1:	if :: true -> goto F1N :: true -> goto F1Y TT fi;
F1N:	D[0]!f1; goto W1N;
F1Y:	D[0]!f1; goto W1Y;
W1N:	if :: true -> goto U1 :: A[C]?a1 -> goto S0N :: A[C]?a0 -> goto W1N fi;
W1Y:	if :: true -> goto U1 :: A[C]?a1 -> goto S0Y :: A[C]?a0 -> goto W1Y fi;
S0N:	D[0]!d0N; goto X0;
S0Y:	D[0]!d0Y; goto X0;
X0:	if :: true -> goto U0 :: A[C]?a0 -> goto K0 :: A[C]?a1 -> goto X0 fi;
K0:	true; goto C0;
C0:	if :: true -> goto S1N :: true -> goto S1Y TT fi;
#ifdef T
sd:	false
#endif
}
active proctype Receiver() {
P0:	if :: D[C]?d1N -> goto B1N :: D[C]?d1Y -> goto B1Y :: D[C]?d0N -> goto Q0 :: D[C]?d0Y -> goto Q0
	:: D[C]?f0 -> goto Q0 :: D[C]?f1 -> goto Q1 fi;
P1:	if :: D[C]?d0N -> goto B0N :: D[C]?d0Y -> goto B0Y :: D[C]?d1N -> goto Q1 :: D[C]?d1Y -> goto Q1
	:: D[C]?f0 -> goto Q0 :: D[C]?f1 -> goto Q1 fi;
B0N:	true; goto Q0;
B0Y:	true; goto Q0;
B1N:	true; goto Q1;
B1Y:	true; goto Q1;
Q0:	A[0]!a0; goto P0;
Q1:	A[0]!a1; goto P1
}
#define I (_pid-2)
#define OUT(m) if :: D[I+1]!m :: (I==C-1) fi
active [C] proctype DCell() {
	do
	:: D[I]?f0 -> OUT(f0) :: D[I]?f1 -> OUT(f1)
	:: D[I]?d0N -> OUT(d0N) :: D[I]?d0Y -> OUT(d0Y)
	:: D[I]?d1N -> OUT(d1N) :: D[I]?d1Y -> OUT(d1Y)
	od
}
#define J (_pid-2-C)
#define OUTA(m) if :: A[J+1]!m :: (J==C-1) fi
active [C] proctype ACell() {
	do :: A[J]?a0 -> OUTA(a0) :: A[J]?a1 -> OUTA(a1) od
}
