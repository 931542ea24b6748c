/* here the place behind the labelled statement is the end, so the loop makes no
   progress */
byte x;
active proctype P() { A: if :: x = 1 - x; goto A :: progress: x == 5 fi }
