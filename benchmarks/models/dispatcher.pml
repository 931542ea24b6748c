/*
 * Jobs in a sorted queue and answers in a random one: clients post jobs with a
 * priority, workers take the most urgent one or one of their own kind, and each
 * client fishes its answer out of a common queue. Sizes: CLIENTS, WORKERS,
 * PRIOS, ROOM (of the job queue).
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef PRIOS
#define PRIOS 2
#endif
#ifndef ROOM
#define ROOM 2
#endif

chan jobs = [ROOM] of { byte, byte, byte };    /* priority, kind, client */
chan answers = [CLIENTS] of { byte, byte };    /* client, kind */
chan aged = [CLIENTS] of { byte };

byte busy;

active [CLIENTS] proctype client()
{
	byte prio, kind, got;
	bool late;
	do
	:: prio = 0;
	   do
	   :: prio < PRIOS - 1 -> prio++
	   :: break
	   od;
	   if
	   :: kind = 0
	   :: kind = 1
	   fi;
	   jobs!!prio,kind,_pid;
	   do
	   :: answers??eval(_pid),got -> assert(got == kind); break
	   :: !late && prio > 0 && jobs??[eval(prio),eval(kind),eval(_pid)] ->
		atomic {
			late = true;
			if
			:: jobs??eval(prio),eval(kind),eval(_pid) -> prio--; jobs!!prio,kind,_pid; aged!!_pid
			:: !jobs??[eval(prio),eval(kind),eval(_pid)] -> late = false
			fi
		}
	   od;
	   if
	   :: late -> aged??eval(_pid)
	   :: !late
	   fi;
	   late = false; got = 0; kind = 0; prio = 0
	od
}

active [WORKERS] proctype worker()
{
	byte prio, kind, who;
	do
	:: jobs?prio,kind,who -> busy++;
	   assert(busy <= WORKERS);
	   answers!!who,kind;
	   busy--; prio = 0; kind = 0; who = 0
	:: jobs??prio,1,who -> busy++;
	   answers!who,1;
	   busy--; prio = 0; who = 0
	:: atomic { aged?[who] && len(jobs) > 1 -> skip };
	   if
	   :: jobs??0,kind,who
	   :: jobs?prio,kind,who
	   fi;
	   answers!!who,kind;
	   prio = 0; kind = 0; who = 0
	od
}
