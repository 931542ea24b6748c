/* a counter that nothing limits: warning at line 5 column 8 */
int sent; byte waiting;
active proctype producer() {
  do
  :: { sent++; waiting = 1 }
  od
}
active proctype consumer() { do :: waiting == 1 -> waiting = 0; assert(sent < 3) od }
