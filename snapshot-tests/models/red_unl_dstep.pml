/* a local step brings a process to a receive, which an escape or an else tests: the assertion can fail */
// @pan -E
chan k = [0] of { bit };
active proctype Late() { byte i; d_step { i = 1; i = 2 }; k?1 }
active proctype Guarded() { { assert(false) } unless { k!1 } }
