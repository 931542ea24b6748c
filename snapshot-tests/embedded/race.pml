/* a lost update, where both halves are C: the order of the processes matters */
int a;
byte done;
active [2] proctype P() {
  int t;
  c_code { PP->t = now.a; };
  c_code { now.a = PP->t + 1; };
  done++
}
active proctype W() { done == 2; assert(c_expr { now.a == 2 }) }
