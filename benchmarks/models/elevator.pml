/*
 * An elevator: people call it, ride, and call it again.
 *
 * The cabin goes on in its direction while somebody ahead wants it, and turns
 * otherwise; doors open where a call or a wish is. Sizes: FLOORS, PEOPLE.
 */
#ifndef FLOORS
#define FLOORS 4
#endif
#ifndef PEOPLE
#define PEOPLE 2
#endif

bool call[FLOORS], wish[FLOORS];
byte cabin, inside;
bool is_open, goes_up = true;
chan bell = [0] of { byte };

active proctype control() {
  byte floor;
  bool ahead;
  do
  :: d_step {
       ahead = false;
       floor = 0;
       do
       :: floor < FLOORS ->
            if
            :: (goes_up && floor > cabin || !goes_up && floor < cabin) && (call[floor] || wish[floor]) -> ahead = true
            :: else
            fi;
            floor++
       :: else -> break
       od;
       floor = 0
     };
     if
     :: call[cabin] || wish[cabin] ->
          is_open = true;
          call[cabin] = false;
          wish[cabin] = false;
          do
          :: bell!cabin
          :: is_open = false; break
          od
     :: else ->
          if
          :: ahead -> cabin = (goes_up -> cabin + 1 : cabin - 1)
          :: !ahead -> goes_up = !goes_up
          fi
     fi;
     assert(cabin < FLOORS && !is_open)
  od
}

active [PEOPLE] proctype person() {
  byte at, target;
  do
  :: call[at] = true;
     bell?eval(at);
     inside++;
     select(target : 0 .. FLOORS - 1);
     wish[target] = true;
     do
     :: at != target -> bell?at
     :: at == target -> break
     od;
     inside--;
     assert(inside < PEOPLE);
     target = 0
  od
}

ltl room_for_all { [] (inside <= PEOPLE) }
