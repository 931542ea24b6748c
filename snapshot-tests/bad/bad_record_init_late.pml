/* a value for a record behind a statement: error at line 3 column 33 */
typedef Rec { byte a; byte b };
active proctype P() { skip; Rec r = 3; assert(r.a == 0) }
