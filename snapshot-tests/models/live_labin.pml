/* entering the labelled statement L is what the formula sees, though it changes
   no variable */
active proctype Q() { byte j; j = 1; M: j = 2 }
active proctype P() { byte i; i = 1; L: false }
ltl p { [] !(Q@M && !P@L) }
