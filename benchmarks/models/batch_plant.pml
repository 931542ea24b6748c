/*
 * A chemical batch plant as one process with forty options: tanks, valves, a
 * heater, a stirrer, pumps that break, an operator. Every rule is one option of
 * the same loop. Sizes: LEVEL (of the tanks), HEAT (steps of temperature).
 */
#ifndef LEVEL
#define LEVEL 3
#endif
#ifndef HEAT
#define HEAT 3
#endif

#define A 0
#define B 1
#define R 2
#define C 3

mtype = { idle, filling, reacting, draining, cleaning };

byte level[4];
byte temperature;
bool va, vb, vr, vc;
bool heater, stirrer, alarm;
bool pump_ok[2];
mtype phase = idle;
byte rinse;

active proctype plant()
{
	pump_ok[0] = true; pump_ok[1] = true;
	do
	/* supply */
	:: level[A] < LEVEL && !va && pump_ok[0] -> level[A]++
	:: level[B] < LEVEL && !vb && pump_ok[1] -> level[B]++
	:: level[A] == LEVEL && level[B] == LEVEL && phase == idle -> phase = filling
	/* valves of the recipe */
	:: phase == filling && !va && level[A] > 0 && level[R] < LEVEL -> va = true
	:: phase == filling && va && (level[A] == 0 || level[R] == LEVEL) -> va = false
	:: phase == filling && !vb && level[B] > 0 && level[R] < LEVEL -> vb = true
	:: phase == filling && vb && (level[B] == 0 || level[R] == LEVEL) -> vb = false
	:: atomic { va && level[A] > 0 && level[R] < LEVEL -> level[A]--; level[R]++ }
	:: atomic { vb && level[B] > 0 && level[R] < LEVEL -> level[B]--; level[R]++ }
	:: phase == filling && level[R] == LEVEL && !va && !vb -> phase = reacting
	/* reaction */
	:: phase == reacting && !stirrer -> stirrer = true
	:: phase == reacting && stirrer && !heater && temperature < HEAT -> heater = true
	:: heater && temperature < HEAT -> temperature++
	:: heater && temperature == HEAT -> heater = false
	:: !heater && temperature > 0 && phase != reacting -> temperature--
	:: phase == reacting && temperature == HEAT && !heater -> atomic { phase = draining; stirrer = false }
	/* product */
	:: phase == draining && !vr && level[C] < LEVEL && temperature == 0 -> vr = true
	:: phase == draining && vr && (level[R] == 0 || level[C] == LEVEL) -> vr = false
	:: atomic { vr && level[R] > 0 && level[C] < LEVEL -> level[R]--; level[C]++ }
	:: level[C] > 0 && !vc && !vr -> vc = true
	:: vc && level[C] == 0 -> vc = false
	:: vc && level[C] > 0 -> level[C]--
	:: phase == draining && level[R] == 0 && !vr -> atomic { phase = cleaning; rinse = 0 }
	/* cleaning */
	:: phase == cleaning && rinse < 2 && level[R] == 0 -> level[R] = 1
	:: phase == cleaning && level[R] == 1 -> atomic { level[R] = 0; rinse++ }
	:: phase == cleaning && rinse == 2 && level[R] == 0 -> atomic { phase = idle; rinse = 0 }
	/* faults and the operator */
	:: pump_ok[0] && !alarm && level[A] < LEVEL -> atomic { pump_ok[0] = false; alarm = true }
	:: pump_ok[1] && !alarm && level[B] < LEVEL -> atomic { pump_ok[1] = false; alarm = true }
	:: !pump_ok[0] && alarm -> pump_ok[0] = true
	:: !pump_ok[1] && alarm -> pump_ok[1] = true
	:: alarm && pump_ok[0] && pump_ok[1] -> alarm = false
	:: alarm && heater -> heater = false
	:: alarm && va -> va = false
	:: alarm && vb -> vb = false
	:: phase == reacting && alarm && stirrer && temperature == 0 -> stirrer = false
	:: phase == filling && alarm && level[R] > 0 && !va && !vb && !vr -> phase = draining
	/* what must not happen */
	:: va && vr -> assert(false)
	:: heater && !stirrer && phase == reacting && temperature == HEAT && level[R] == 0 -> assert(false)
	:: level[R] > LEVEL -> assert(false)
	:: temperature > HEAT -> assert(false)
	od
}

ltl never_over { [] (level[2] <= LEVEL) }
