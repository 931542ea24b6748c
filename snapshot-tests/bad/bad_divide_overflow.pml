/* the least number divided by -1 has no result in 32 bits: error at line 3 column 28 */
int x;
active proctype P() { x = (-2147483647 - 1) / -1 }
