// Spin lists a select only if it recognises its text: a name without `_`, plain numbers, one line, not in an inline.
#define LOW 1
#define HIGH (3)
byte x, one_two, n;
inline choose() { select (x : 1 .. 3) }
active proctype P() {
  select (x : LOW .. 3); n = x;
  select (one_two : 1 .. 3); n = one_two;
  select (x : 1 .. HIGH); n = x;
  choose(); n = x;
  select (x :
    1 .. 3); n = x;
  select
    (x : 1 .. 3); n = x;
  select (x : 'a' .. 'b'); n = x; x = 0; one_two = 0
}
