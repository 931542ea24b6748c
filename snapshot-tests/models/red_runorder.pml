/* the value of run depends on the order of creation */
// @pan -E
active proctype First() { pid k; k = run Leaf(); assert(k == 3) }
active proctype Second() { pid j; j = run Leaf() }
proctype Leaf() { false }
