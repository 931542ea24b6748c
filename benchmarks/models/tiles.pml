/*
 * A puzzle: tiles that slide into a hole, from every order that can be reached.
 * Sizes: COLS, ROWS.
 */
#ifndef COLS
#define COLS 4
#endif
#ifndef ROWS
#define ROWS 2
#endif
#define N (COLS * ROWS)

byte tile[N];
byte hole;
bool solved;

inline test_solved(i)
{
	i = 0;
	do
	:: i < N && tile[i] == N - 1 - i -> i++
	:: else -> break
	od;
	solved = (i == N);
	i = 0
}

active proctype slide()
{
	byte i;
	d_step {
		for (i : 0 .. N - 1) { tile[i] = i };
		i = 0
	};
	do
	:: d_step { hole % COLS > 0        -> tile[hole] = tile[hole - 1]; hole--; tile[hole] = 0; test_solved(i) }
	:: d_step { hole % COLS < COLS - 1 -> tile[hole] = tile[hole + 1]; hole++; tile[hole] = 0; test_solved(i) }
	:: d_step { hole >= COLS           -> tile[hole] = tile[hole - COLS]; hole = hole - COLS; tile[hole] = 0; test_solved(i) }
	:: d_step { hole < N - COLS        -> tile[hole] = tile[hole + COLS]; hole = hole + COLS; tile[hole] = 0; test_solved(i) }
	od
}
