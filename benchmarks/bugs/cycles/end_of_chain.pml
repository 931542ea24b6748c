/* At the end of a long deterministic chain, beside processes that only wait for it: the flag is reset again and again. */
#ifndef LENGTH
#define LENGTH 20000
#endif
short n; bool flag, seen;
active proctype Chain() {
	do
	:: n < LENGTH -> n++
	:: n == LENGTH -> break
	od;
	do
	:: flag = true; flag = false
	od
}
active [3] proctype Watcher() {
	do
	:: n == LENGTH && flag -> seen = !seen
	od
}
ltl settles { <> [] !flag }
