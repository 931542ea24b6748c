/*
 * A game: two players drop stones into columns, and who has three in a row ends
 * it. Every game is played. Sizes: WIDTH, HEIGHT, ROW (stones in a row that win).
 */
#ifndef WIDTH
#define WIDTH 3
#endif
#ifndef HEIGHT
#define HEIGHT 3
#endif
#ifndef ROW
#define ROW 3
#endif
#define AT(col, line) board[(col) * HEIGHT + (line)]
#define INSIDE(col, line) ((col) >= 0 && (col) < WIDTH && (line) >= 0 && (line) < HEIGHT)

byte board[WIDTH * HEIGHT];
byte filled[WIDTH];
byte stones;
byte player = 1;
byte winner;

int x, y;
short cnt;
byte c;

/* Counts the stones of the player from the last one on, in both directions. */
inline count(dx, dy)
{
	cnt = 1;
	x = c + dx; y = filled[c] - 1 + dy;
	do
	:: INSIDE(x, y) ->
		if
		:: AT(x, y) == player -> cnt++; x = x + dx; y = y + dy
		:: else -> break
		fi
	:: else -> break
	od;
	x = c - dx; y = filled[c] - 1 - dy;
	do
	:: INSIDE(x, y) ->
		if
		:: AT(x, y) == player -> cnt++; x = x - dx; y = y - dy
		:: else -> break
		fi
	:: else -> break
	od;
	if
	:: cnt >= ROW -> winner = player
	:: else -> skip
	fi
}

inline drop()
{
	d_step {
		AT(c, filled[c]) = player;
		filled[c]++;
		stones++;
		count(1, 0);
		count(0, 1);
		count(1, 1);
		count(1, -1);
		player = 3 - player;
		x = 0; y = 0; cnt = 0; c = 0
	}
}

active proctype game()
{
	do
	:: winner == 0 && stones < WIDTH * HEIGHT ->
		c = 0;
		do
		:: c < WIDTH - 1 -> c++
		:: filled[c] < HEIGHT -> break
		:: c == WIDTH - 1 && filled[c] == HEIGHT -> c = 0
		od;
		drop();
		printf("stones: %d\n", stones)
	:: winner == 1 -> printf("first wins\n"); goto over
	:: winner == 2 -> printf("second wins\n"); goto over
	:: winner == 0 && stones == WIDTH * HEIGHT -> break
	od;
	printf("a draw\n");
over:
	assert(stones <= WIDTH * HEIGHT)
}
