/* Rare: the processes run round and round as long as they like; only if all of them stop in one order, does the last one
   never report. */
#ifndef N
#define N 5
#endif
byte stopped, last, wrong; bool reported;
active [N] proctype P() {
	do
	:: atomic { wrong = (wrong + 1) % 3 }
	:: atomic {
		if
		:: stopped == 0 || last == _pid - 1
		:: else -> wrong = 3
		fi;
		last = _pid; stopped++
	   };
	   break
	od;
	do
	:: atomic { stopped == N && wrong < 3 -> skip }
	:: atomic { stopped == N && wrong == 3 -> reported = true; break }
	od
}
ltl reports { [] (stopped == N -> <> reported) }
