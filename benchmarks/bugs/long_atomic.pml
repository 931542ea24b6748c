/* The violation lies in an atomic sequence of thousands of steps. */
#ifndef END
#define END 5000
#endif
int n; byte x, y;
active proctype Busy() { do :: x++ :: y++ od }
active proctype P() { do :: atomic { n = 0; do :: n < END -> n++ :: n == END -> assert(x != 3) ; break od } od }
