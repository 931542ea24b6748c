/* here the place behind it is the assignment, so the loop is no place to stop */
byte x;
active proctype P() { x = 1; do :: end: x == 7 -> x = 2 :: x == 6 od }
