/* an option that another process can open: all statements at a place count, not only the enabled ones */
// @pan -E
byte g, y;
active proctype Pick() { byte x; if :: x = 1 :: g == 1 -> y = 2 fi }
active proctype Open() { g = 1 }
active proctype Watch() { assert(y != 2) }
