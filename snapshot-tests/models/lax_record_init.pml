// An initial value for a whole record is read and then ignored, of a local, a global and a field.
// @pmc -A record-initializer
typedef In { byte a; byte b = 2 };
typedef Rec { In i = 4; byte f[2]; byte g = 7 };
Rec global = 3;
Rec globals[2] = 9;
byte n = 1;
active proctype P() {
  Rec r[4] = 255;
  Rec s = n + 1;
  In list[2] = { 1, 2 };
  assert(r[0].i.a == 0 && r[3].g == 7 && r[1].f[1] == 0);
  assert(s.i.b == 2 && s.g == 7 && list[1].a == 0 && list[0].b == 2);
  assert(global.i.a == 0 && global.g == 7 && globals[1].f[0] == 0);
  n = s.i.a + global.g
}
