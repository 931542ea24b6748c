/*
 * Hundreds of processes: cells in a ring, each a process, and a few ants that
 * walk from cell to cell. Most processes wait. Sizes: CELLS, ANTS.
 */
#ifndef CELLS
#define CELLS 150
#endif
#ifndef ANTS
#define ANTS 2
#endif
#define NEXT(cell) (((cell) + 1) % CELLS)

bit busy[CELLS];

proctype cell(byte me; bit ant)
{
	do
	:: ant && !busy[NEXT(me)] -> atomic { ant = 0; busy[NEXT(me)] = 1 }
	:: !ant && busy[me] -> ant = 1; busy[me] = 0
	od
}

init {
	byte i;
	atomic {
		do
		:: i < CELLS ->
			run cell(i, (i % (CELLS / ANTS) == 0));
			i++
		:: else -> break
		od;
		i = 0
	}
}
