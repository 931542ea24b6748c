/* a run with it could not be repeated: line 3 column 23 */
byte x;
active proctype P() { c_code { now.x = rand() % 2; }; assert(x < 2) }
