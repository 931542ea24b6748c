/* a channel cannot be hidden in Spin: error at line 2 column 13 */
hidden chan h = [1] of { byte };
byte x;
active proctype P() { h!3; h?x; assert(x == 3) }
