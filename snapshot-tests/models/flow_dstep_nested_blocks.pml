/* only the first statement of the outer d_step may wait */
byte x;
active proctype P() { x = 3; d_step { x = 1; d_step { x == 2; x = 4 } } }
