/* the least number divided by -1 does not fit in 32 bits: pan is killed by it */
int low = 1, minus = -1, x;
active proctype P() { low = low << 31; x = low / minus; assert(false) }
