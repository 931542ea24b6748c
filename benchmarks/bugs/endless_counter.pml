/* A space without end: two counters grow without bound, and a third one overflows what it should hold. */
int sent, received; byte waiting;
active proctype Producer() { do :: sent++; waiting++ od }
active proctype Consumer() { do :: waiting > 0 -> waiting--; received++ od }
active proctype Monitor() { assert(waiting < 200) }
