#define N 3
#define add(a, b) (a + b)
#define cat(a, b) a##b
#define text(a) #a
#ifndef N
#error no N
#elif N > 2 && defined(add)
byte cat(va, r) = add(N, __LINE__);
#else
byte other;
#endif
#undef N
init { printf(text(one "two")); var = \
 1 }
