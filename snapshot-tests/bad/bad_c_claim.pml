/* a claim that does something: line 4 column 15 */
byte x;
active proctype P() { x = 1; assert(x == 1) }
never { do :: c_code { now.x = 2; } od }
