/* the initial value of a global is outside of an array: error at line 3 column 10 */
byte a[2] = { 1, 2 };
byte x = a[5];
active proctype P() { assert(x == 0) }
