/* C has no assert here: line 3 column 23 */
byte x;
active proctype P() { c_code { assert(now.x == 0); }; assert(x == 0) }
