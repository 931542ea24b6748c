/* a function that nobody has written: line 3 column 23 */
byte x;
active proctype P() { c_code { now.x = schedule(3); }; assert(x) }
