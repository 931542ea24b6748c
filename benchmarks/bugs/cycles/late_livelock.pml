/* Late: a worker does its rounds in the right way, and the last message decides whether it ends or retries forever. */
#ifndef ROUNDS
#define ROUNDS 3000
#endif
short round; bool done;
chan work = [2] of { byte };
active proctype Source() {
	do
	:: round < ROUNDS -> work!1; round++
	:: round == ROUNDS -> break
	od;
	if
	:: work!0
	:: work!2
	fi
}
active proctype Worker() {
	byte kind;
end:	do
	:: work?kind ->
		if
		:: kind == 0 -> work!0
		:: kind == 1
		:: kind == 2 -> done = true
		fi
	od
}
ltl ends { <> done }
