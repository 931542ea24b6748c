/* a jump into a d_step inside of the same d_step: error at line 3 column 55 */
byte x;
active proctype P() { d_step { x = 1; if :: x == 1 -> goto in :: else fi; d_step { x = 2; in: x = 3 } } }
