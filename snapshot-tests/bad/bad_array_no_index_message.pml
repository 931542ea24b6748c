/* arrays without an index in messages: error at line 4 column 23 */
typedef Rec { byte f[2] };
chan c[2] = [1] of { byte }; byte a[2]; Rec r; Rec s[2];
active proctype P() { c!1; c[1]!a; c[1]?r.f; assert(s.f[1] == 0) }
