/* a formula has no process: line 3 column 14 */
active proctype P() { byte x; x = 1; assert(x == 1) }
ltl p { [] ! c_expr { PP->x == 2 } }
