/*
 * Routers that copy tables: each keeps a row of distances for every other one,
 * sends a copy of its own row to a neighbour and computes the shortest ways anew.
 * Links fail and come back. Sizes: ROUTERS, FAR (the distance that is no way),
 * FAILURES.
 */
#ifndef ROUTERS
#define ROUTERS 3
#endif
#ifndef FAR
#define FAR 4
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#define CELL(router, row, to) dist[((router) * ROUTERS + (row)) * ROUTERS + (to)]
#define LINK(a, b) up[(a) * ROUTERS + (b)]

int dist[ROUTERS * ROUTERS * ROUTERS];
bool up[ROUTERS * ROUTERS];
int cost[ROUTERS * ROUTERS];
bool dirty[ROUTERS];
byte failures;

proctype router(byte me)
{
	byte i, j, peer;
	int best, copy[ROUTERS];
	bool changed;
end:
	do
	/* copy my row to a neighbour */
	:: dirty[me] ->
		d_step {
			i = 0;
			do
			:: i < ROUTERS -> copy[i] = CELL(me, me, i); i++
			:: else -> break
			od;
			i = 0;
			dirty[me] = false
		};
		peer = 0;
		do
		:: peer < ROUTERS ->
			if
			:: peer != me && LINK(me, peer) ->
				atomic {
					i = 0;
					do
					:: i < ROUTERS ->
						if
						:: CELL(peer, me, i) != copy[i] -> CELL(peer, me, i) = copy[i]; changed = true
						:: else
						fi;
						i++
					:: else -> break
					od;
					i = 0
				};
				/* the neighbour computes its row anew */
				d_step {
					if
					:: changed ->
						changed = false;
						j = 0;
						do
						:: j < ROUTERS ->
							best = (j == peer -> 0 : FAR);
							i = 0;
							do
							:: i < ROUTERS ->
								if
								:: i != peer && LINK(peer, i) && cost[peer * ROUTERS + i] + CELL(peer, i, j) < best ->
									best = cost[peer * ROUTERS + i] + CELL(peer, i, j)
								:: else
								fi;
								i++
							:: else -> break
							od;
							if
							:: CELL(peer, peer, j) != best -> CELL(peer, peer, j) = best; dirty[peer] = true
							:: else
							fi;
							j++
						:: else -> break
						od;
						i = 0; j = 0; best = 0
					:: else
					fi
				}
			:: else
			fi;
			peer++
		:: else -> break
		od;
		peer = 0;
		d_step {
			i = 0;
			do
			:: i < ROUTERS -> copy[i] = 0; i++
			:: else -> break
			od;
			i = 0
		}
	od
}

proctype weather()
{
	byte a, b;
end:
	do
	:: failures < FAILURES ->
		select(a : 0 .. ROUTERS - 2);
		b = a + 1;
		d_step {
			LINK(a, b) = !LINK(a, b);
			LINK(b, a) = LINK(a, b);
			CELL(a, a, b) = (LINK(a, b) -> cost[a * ROUTERS + b] : FAR);
			CELL(b, b, a) = CELL(a, a, b);
			dirty[a] = true; dirty[b] = true;
			failures++;
			a = 0; b = 0
		}
	:: else -> break
	od
}

init {
	byte a, b, c;
	d_step {
		for (a : 0 .. ROUTERS - 1) {
			for (b : 0 .. ROUTERS - 1) {
				LINK(a, b) = (a != b);
				cost[a * ROUTERS + b] = (a == b -> 0 : 1 + (a + b) % 2);
				for (c : 0 .. ROUTERS - 1) {
					CELL(a, b, c) = (b == c -> 0 : FAR)
				}
			};
			dirty[a] = true
		};
		a = 0; b = 0; c = 0
	};
	atomic {
		for (a : 0 .. ROUTERS - 1) { run router(a) };
		run weather();
		a = 0
	}
}
