/* In the middle: each philosopher puts the left fork back if the right one is taken. They can do so forever, together. */
#ifndef N
#define N 5
#endif
bool fork[N]; byte meals;
active [N] proctype Philosopher() {
	do
	:: atomic { !fork[_pid] -> fork[_pid] = true };
	   if
	   :: atomic { !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = true; meals = 1 };
	      atomic { fork[_pid] = false; fork[(_pid + 1) % N] = false }
	   :: fork[(_pid + 1) % N] -> fork[_pid] = false
	   fi
	od
}
ltl eats { <> (meals > 0) }
