/* An invalid end state behind many rides: the lift that is full at the top floor waits for a call that cannot come. */
#define FLOORS 6
chan button = [2] of { byte };
byte floor, riders; short rides;
active [3] proctype Person() {
  byte to;
end:
  do
  :: rides < 250 ->
     select(to : 0 .. FLOORS - 1);
     button!to
  od
}
active proctype Lift() {
  byte wanted;
end:
  do
  :: button?wanted;
     do
     :: floor < wanted -> floor++
     :: floor > wanted -> floor--
     :: floor == wanted -> break
     od;
     rides++;
     if
     :: wanted == FLOORS - 1 && rides > 200 -> riders++
     :: else -> riders = 0
     fi;
     riders < 4
  od
}
