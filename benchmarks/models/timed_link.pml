/*
 * A timed protocol with a clock process: messages travel for a time, the sender
 * repeats them after a time, and time passes for all at once when nobody must
 * act now. Sizes: DELAY (longest travel), WAIT (before repeating), SLOTS, MODULUS.
 */
#ifndef DELAY
#define DELAY 2
#endif
#ifndef WAIT
#define WAIT 5
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef MODULUS
#define MODULUS 2
#endif
#define OFF 255

typedef packet {
	bool used;
	byte age;
	byte no
}

packet there[SLOTS];
packet back[SLOTS];

byte t_repeat = OFF;
byte t_think = 1;
byte send_no, wanted_no, delivered, sent;

#define EXPIRED(t) (t == 0)
#define TICK(t) if :: t != OFF && t > 0 -> t-- :: else fi

/* Puts a packet into the first free slot of a line; a full line loses it. */
#define PUT(line, number) \
	i = 0; \
	do \
	:: i < SLOTS && line[i].used -> i++ \
	:: else -> break \
	od; \
	if \
	:: i < SLOTS -> line[i].used = true; line[i].age = 0; line[i].no = number \
	:: else \
	fi; \
	i = 0

#define TAKE(line, n) line[n].used = false; line[n].age = 0; line[n].no = 0

proctype clock()
{
	byte i;
	bool urgent;
end:
	do
	:: d_step {
		!EXPIRED(t_repeat) && !EXPIRED(t_think) ->
		urgent = false;
		i = 0;
		do
		:: i < SLOTS ->
			urgent = urgent || (there[i].used && there[i].age >= DELAY) || (back[i].used && back[i].age >= DELAY);
			i++
		:: else -> break
		od;
		if
		:: !urgent ->
			i = 0;
			do
			:: i < SLOTS ->
				if :: there[i].used -> there[i].age++ :: else fi;
				if :: back[i].used -> back[i].age++ :: else fi;
				i++
			:: else -> break
			od;
			TICK(t_repeat);
			TICK(t_think)
		:: else
		fi;
		i = 0; urgent = false
	   }
	od
}

proctype sender()
{
	byte i;
end:
	do
	:: atomic { EXPIRED(t_think) ->
		t_think = OFF; sent = send_no; PUT(there, send_no); t_repeat = WAIT }
	:: atomic { EXPIRED(t_repeat) -> PUT(there, send_no); t_repeat = WAIT }
	:: d_step { i < SLOTS && back[i].used && back[i].no == send_no && t_repeat != OFF && t_repeat > 0 ->
		TAKE(back, i); send_no = (send_no + 1) % MODULUS; t_repeat = OFF; t_think = 2; i = 0 }
	:: d_step { back[i].used && (back[i].no != send_no || t_repeat == OFF) -> TAKE(back, i); i = 0 }
	:: i + 1 < SLOTS && !back[i].used -> i++
	:: i > 0 && !back[i].used -> i = 0
	od
}

proctype receiver()
{
	byte i, which;
end:
	do
	:: d_step { there[which].used ->
		if
		:: there[which].no == wanted_no ->
			delivered = wanted_no; wanted_no = (wanted_no + 1) % MODULUS
		:: else
		fi;
		PUT(back, there[which].no);
		TAKE(there, which);
		which = 0
	   }
	:: !there[which].used && which + 1 < SLOTS -> which++
	:: !there[which].used && which > 0 -> which = 0
	od
}

proctype loss()
{
end:
	do
	:: d_step { there[0].used && there[0].age > 0 -> TAKE(there, 0) }
	:: d_step { back[0].used && back[0].age > 0 -> TAKE(back, 0) }
	od
}

init {
	atomic { run clock(); run sender(); run receiver(); run loss() }
}

ltl in_time { [] (t_repeat == OFF || t_repeat <= WAIT) }
