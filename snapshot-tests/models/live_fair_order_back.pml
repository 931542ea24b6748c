/* the same with the options the other way round: pan finds the cycle */
byte x;
active proctype P() { skip; false }
active proctype Q() { do :: x = 1 - x; x = x :: x = 1 - x; progress: break od }
