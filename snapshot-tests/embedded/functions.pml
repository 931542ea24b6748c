/* functions, types, constants and a macro of C, a macro of the model, a loop in a block, a formula on C */
#define N 3
c_decl {
\#include <string.h>
\#define TWICE(x) ((x) * 2)
typedef struct Pair { int low, high; } Pair;
static const int weights[N] = { 1, 2, 4 };
int weigh(void);
}
typedef Cell { byte value; bool is_used }
Cell cells[N];
byte sum, n;
c_code {
int cell(int at);
int weighed(int at) { return weights[at] * cell(at); }
int cell(int at) { return now.cells[at].is_used ? now.cells[at].value : 0; }
int weigh(void) { int i, all = 0; for (i = 0; i < N; i++) all += weighed(i); return all; }
}
active proctype P() {
  do
  :: n < N -> c_code { Pair p; memset(&p, 0, sizeof p); p.low = now.n; now.cells[p.low].value = TWICE(now.n + 1); now.cells[p.low].is_used = 1; }; n++
  :: n == N -> break
  od;
  sum = c_expr { (weigh()) };
  assert(sum == 2 + 2 * 4 + 4 * 6)
}
ltl rises { [] (c_expr { now.sum == 0 || now.sum == 34 }) }
