/* a rendezvous send inside a d_step is an error, also without a receiver */
chan c = [0] of { bit };
active proctype P() { d_step { c!1; skip } }
