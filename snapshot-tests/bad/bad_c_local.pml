/* a local of another proctype: line 3 column 38 */
active proctype P() { byte x; x = 1; assert(x) }
active proctype Q() { byte y; y = 1; c_code { PP->x = 2; }; assert(y) }
