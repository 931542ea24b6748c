/* pc_value of a process that does not exist, or no longer, is 0 */
byte p;
proctype A() { skip }
active proctype B() {
  p = run A();
  assert(pc_value(_pid) > 0 && pc_value(7) == 0 && pc_value(-1) == 0);
  _nr_pr == 1;
  assert(pc_value(p) == 0)
}
