c_decl { struct s { int a; }; }
c_state "int y" "Global"
c_track "&z" "sizeof(int)"
hidden byte x; show byte z;
init { c_code [x > 0] { now.x = 1; /* } */ }; c_expr { now.x == '}' } }
