/* Early: the gate opens for the first train that leaves, though a second one is on the crossing. */
mtype = { near, leave, lower, raise };
chan sensor = [2] of { mtype };
chan gate = [0] of { mtype };
bool is_down;
byte on_crossing;
active [2] proctype Train() {
  byte miles;
  do
  :: miles < 40 -> miles++
  :: miles > 20 ->
     sensor!near;
     is_down -> on_crossing++;
     assert(is_down);
     on_crossing--;
     sensor!leave;
     miles = 0
  od
}
active proctype Controller() {
end:
  do
  :: sensor?near -> gate!lower
  :: sensor?leave -> gate!raise
  od
}
active proctype Gate() {
end:
  do
  :: gate?lower -> is_down = true
  :: gate?raise -> is_down = false; assert(on_crossing == 0)
  od
}
