/* a jump from an atomic to a label that stands before another atomic, not in it */
byte x;
active [2] proctype P() { atomic { x++; goto K }; x = 9; K: atomic { x++; x++ }; x = 0 }
