/* a local step brings a process to a receive, which an escape or an else tests: the assertion can fail */
// @pan -E
chan k = [0] of { bit };
active proctype Guarded() { { assert(false) } unless { k!1 } }
active proctype Late() { byte i; i = 1; k?1 }
