/* a process that is still to be started shares a variable with one that runs */
// @pan -E
byte v;
proctype Lo() { v = 1; assert(v == 1); do :: v == 9 od }
proctype Hi() { v = 2; do :: v == 9 od }
init { pid a; a = run Lo(); a = run Hi() }
