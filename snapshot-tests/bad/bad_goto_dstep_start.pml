/* a jump to the start of a d_step: error at line 3 column 62 */
byte x;
active proctype P() { L: d_step { x++; x++ }; if :: x < 4 -> goto L :: else fi }
