/* A long deterministic chain, and the violation at its end. */
#ifndef END
#define END 90000
#endif
int n;
active proctype P() { do :: n < END -> n++ :: else -> break od; assert(n != END) }
