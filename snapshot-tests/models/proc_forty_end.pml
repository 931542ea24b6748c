/* Thirty-six processes that end, the youngest first, and then the older ones, which could not be removed before. */
byte turn = 36;
chan done = [2] of { pid, byte };

active [36] proctype worker()
{
	byte seen;
	atomic {
		turn == _pid + 1 && turn > 3 -> seen = turn; turn--;
		if
		:: seen % 5 == 0 -> done!_pid,seen
		:: else
		fi
	}
}

active proctype last()
{
	pid who; byte what;
	do
	:: done?who,what -> assert(what == who + 1)
	:: timeout -> turn = 0; break
	od
}
