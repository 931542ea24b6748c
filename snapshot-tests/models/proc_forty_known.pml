/* Forty processes, each known by its pid: more than an array of processes holds, but each has its place in the state. */
bit busy[40];
byte moves;

proctype cell(byte me; bit ant)
{
	byte old;
	do
	:: ant && !busy[(me + 1) % 40] && moves < 14 -> atomic { ant = 0; busy[(me + 1) % 40] = 1; old = me; moves++ }
	:: !ant && busy[me] -> ant = 1; busy[me] = 0; old = 0
	:: moves == 14 && me == 39 -> assert(old == 0 || old == 39); break
	od
}

init {
	byte i;
	atomic {
		do
		:: i < 40 -> run cell(i, i % 20 == 7); i++
		:: else -> break
		od;
		i = 0
	}
}
