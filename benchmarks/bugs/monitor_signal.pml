/* Late: a signal that comes between the test and the wait is lost, after the buffer has been used a number of times. */
#define TIMES 120
bool lock, asleep; byte items; short done;
#define ENTER atomic { !lock -> lock = true }
#define LEAVE lock = false
active proctype Consumer() {
  do
  :: done < TIMES ->
     if
     :: items == 0 -> if :: done > TIMES - 5 -> asleep = true :: else fi; asleep == false
     :: items > 0
     fi;
     if
     :: atomic { items > 0 && !lock -> lock = true }; items--; LEAVE; done++
     :: items == 0 && !asleep
     fi
  :: done == TIMES -> break
  od
}
active proctype Producer() {
  byte made;
  do
  :: made < TIMES -> ENTER; if :: items == 0 -> items++; made++ :: else fi; asleep = false; LEAVE
  :: made == TIMES -> break
  od;
  assert(asleep == false)
}
