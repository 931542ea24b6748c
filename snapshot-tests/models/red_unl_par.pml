/* the same with the channel as a parameter */
// @pan -E
chan k = [0] of { bit };
proctype Late(chan c) { byte i; i = 1; c?1 }
proctype Guarded(chan c) { { assert(false) } unless { c!1 } }
init { atomic { run Late(k); run Guarded(k) } }
