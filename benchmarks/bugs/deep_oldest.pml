/* Deep, and Spin's order comes to it last: the process that counts to its end is the oldest. */
#ifndef END
#define END 2000
#endif
byte a, b; short n;
active proctype Worker() { do :: n < END -> n++ :: n == END -> assert(false) od }
active proctype A() { do :: a = (a + 1) % 100 od }
active proctype B() { do :: b = (b + 1) % 100 od }
