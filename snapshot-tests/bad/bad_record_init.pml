/* a value for a whole record: error at line 3 column 27 */
typedef Rec { byte a; byte b };
active proctype P() { Rec r[4] = 255; assert(r[0].a == 0) }
