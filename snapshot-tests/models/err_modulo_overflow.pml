/* its remainder does not exist either; here in a guard and within a d_step */
int low = 1, minus = -1, x;
active proctype P() { low = low << 31; (low % minus == 0); assert(false) }
active proctype R() { low < 0; d_step { x = 2; x = low % minus } }
