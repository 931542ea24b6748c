/* a jump out of a d_step, inside of another one: error at line 3 column 71 */
byte x;
active proctype P() { d_step { x = 1; d_step { x = 2; if :: x == 2 -> goto out :: else fi }; x = 4; out: x = 3 } }
