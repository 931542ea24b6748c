/* an accept label on the first statement of an option marks the place behind it,
   here the loop, though that option is never taken */
byte x;
active proctype P() { do :: accept: x == 7 :: x = 1 - x od }
