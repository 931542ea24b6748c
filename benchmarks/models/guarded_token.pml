/*
 * A token that passes through guards: there are no channels, and whoever has the
 * token may work, ask for help, or pass it on. Every option of every process
 * begins with a test of the token. Sizes: UNITS, WORK, CREDIT.
 */
#ifndef UNITS
#define UNITS 3
#endif
#ifndef WORK
#define WORK 2
#endif
#ifndef CREDIT
#define CREDIT 2
#endif
#define NOBODY 255

byte token = 0;
byte helper = NOBODY;
byte todo[UNITS];
byte credit[UNITS];
byte done;
bool idle[UNITS];

active [UNITS] proctype unit()
{
	byte i;
	bool asked;

	todo[_pid] = WORK;
end:
	do
	:: token == _pid && todo[_pid] > 0 && !asked -> todo[_pid]--; done = (done + 1) % 3
	:: token == _pid && todo[_pid] == 0 && !idle[_pid] && helper == NOBODY -> idle[_pid] = true
	:: token == _pid && todo[_pid] > 1 && helper == NOBODY && !asked -> asked = true; helper = (_pid + 1) % UNITS
	:: token == _pid && asked && helper == NOBODY -> asked = false
	:: token != _pid && helper == _pid && credit[_pid] < CREDIT ->
		atomic { credit[_pid]++; helper = NOBODY }
	:: token != _pid && helper == _pid && credit[_pid] == CREDIT -> helper = NOBODY
	:: token == _pid && credit[_pid] > 0 && todo[_pid] < WORK && !asked ->
		atomic { credit[_pid]--; todo[_pid]++; idle[_pid] = false }
	:: token == _pid && helper == NOBODY && !asked ->
		i = (_pid + 1) % UNITS;
		do
		:: token == _pid && i != _pid && idle[i] && credit[i] == 0 -> i = (i + 1) % UNITS
		:: token == _pid && (i == _pid || !idle[i] || credit[i] > 0) -> break
		od;
		token = i;
		i = 0
	:: token != _pid && todo[_pid] < WORK && idle[_pid] -> todo[_pid]++; idle[_pid] = false
	od
}

active proctype watch()
{
end:
	do
	:: token == UNITS -> assert(false)
	:: token < UNITS && idle[token] && todo[token] > WORK -> assert(false)
	od
}

ltl token_exists { [] (token < UNITS) }
