/* inside a d_step _last is still the process that moved before it */
byte a, b;
active [2] proctype P() { skip }
active proctype D() { d_step { a = 1; b = _last; a = 2 }; assert(b <= 1) }
