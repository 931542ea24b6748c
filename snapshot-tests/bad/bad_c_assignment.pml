/* a condition that assigns: line 3 column 23 */
byte x;
active proctype P() { c_expr { now.x = 1 }; assert(x == 1) }
