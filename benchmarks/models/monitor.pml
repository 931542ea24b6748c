/*
 * Readers and writers over a monitor, semaphores and a ticket lock, all of them
 * inlines that use each other. Sizes: READERS, WRITERS, SPINS, TICKETS.
 */
#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef SPINS
#define SPINS 1
#endif
#ifndef TICKETS
#define TICKETS 8
#endif
#define PROCS (READERS + WRITERS)

byte next_ticket, now_serving;
byte sem_room = 1, sem_order = 1;
byte waiting_room, waiting_order;
byte n_readers, n_writers, value, backup;

inline fetch_and_inc(variable, result) { d_step { result = variable; variable = (variable + 1) % TICKETS } }

inline spin_until(condition)
{
	spins = 0;
	do
	:: condition -> break
	:: !(condition) && spins < SPINS -> spins++
	:: !(condition) && spins == SPINS -> (condition); break
	od;
	spins = 0
}

inline lock() { fetch_and_inc(next_ticket, mine); spin_until(now_serving == mine); mine = 0 }

inline unlock() { fetch_and_inc(now_serving, mine); mine = 0 }

inline down(sem, waiting)
{
	lock();
	do
	:: sem > 0 -> sem--; break
	:: sem == 0 -> waiting++; unlock(); sem > 0; lock(); waiting--
	od;
	unlock()
}

inline up(sem, waiting) { lock(); sem++; unlock() }

inline swap_in(delta, counter, first, last)
{
	lock();
	counter = counter + delta;
	if
	:: counter == first -> last = true
	:: else -> last = false
	fi;
	unlock()
}

inline start_read()
{
	down(sem_order, waiting_order);
	swap_in(1, n_readers, 1, edge);
	if
	:: edge -> edge = false; down(sem_room, waiting_room)
	:: else
	fi;
	up(sem_order, waiting_order)
}

inline end_read()
{
	swap_in(-1, n_readers, 0, edge);
	if
	:: edge -> edge = false; up(sem_room, waiting_room)
	:: else
	fi
}

inline start_write() { down(sem_order, waiting_order); down(sem_room, waiting_room); up(sem_order, waiting_order); n_writers++ }

inline end_write() { n_writers--; up(sem_room, waiting_room) }

active [READERS] proctype reader()
{
	byte mine, spins, seen;
	bool edge;
	do
	:: start_read();
	   seen = value;
	   assert(n_writers == 0 && seen == value && seen == backup);
	   seen = 0;
	   end_read()
	od
}

active [WRITERS] proctype writer()
{
	byte mine, spins;
	do
	:: start_write();
	   assert(n_writers == 1);
	   value = 1 - value;
	   backup = value;
	   end_write()
	od
}
