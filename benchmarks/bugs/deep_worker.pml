/* Deep: one process counts to its end, beside three that turn round and round. */
#ifndef END
#define END 20000
#endif
#ifndef TURNS
#define TURNS 200
#endif
byte a, b, c; short n;
active proctype A() { do :: a = (a + 1) % TURNS od }
active proctype B() { do :: b = (b + 1) % TURNS od }
active proctype C() { do :: c = (c + 1) % TURNS od }
active proctype Worker() { do :: n < END -> n++ :: n == END -> assert(false) od }
