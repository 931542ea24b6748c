/* a variable of C would be no part of the state: line 2 column 1 */
c_decl { int counter; }
active proctype P() { c_code { counter++; } }
