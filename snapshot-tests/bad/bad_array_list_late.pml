/* a list of initial values behind a statement: error at line 2 column 41 */
active proctype P() { skip; byte a[3] = { 1, 2, 3 }; assert(a[1] == 2) }
