/* locals that only the formula refers to: violated; Spin with reduction finds
   nothing, and warns when the C code is compiled only */
active proctype P() { byte i; i = 1; i = 2; i = 3 }
active proctype Q() { byte j; j = 1; j = 2; j = 3 }
ltl p { [] !(P:i == 2 && Q:j == 2) }
