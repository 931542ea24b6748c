/* a name that the model does not have: line 3 column 23 */
byte level;
active proctype P() { c_code { now.levle = 1; }; assert(level == 1) }
