/* a variable that keeps its value: line 3 column 23 */
byte x;
active proctype P() { c_code { static int n; now.x = n++; }; assert(x == 0) }
