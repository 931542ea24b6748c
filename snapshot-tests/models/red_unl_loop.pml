/* a local step brings a process to a receive, which an escape or an else tests: the assertion can fail */
// @pan -E
chan k = [0] of { bit };
active proctype Late() { byte i; goto mid; do :: k?1; mid: i = 1 od }
active proctype Guarded() { { assert(false) } unless { k!1 } }
