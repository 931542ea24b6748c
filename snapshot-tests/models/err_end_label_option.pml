/* an end label on the first statement of an option marks the place behind that
   statement, here the loop: the process may wait in it */
byte x;
active proctype P() { x = 1; do :: end: x == 7 :: x == 6 od }
