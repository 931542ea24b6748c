/* An elevator: whoever calls it is served some time. */

#define FLOORS 3

bool call[FLOORS];     /* the buttons, lit */
byte cabin;
bool is_open;

/* People push the button of their floor, except where the cabin already is. */
active [FLOORS] proctype people() {
  do
  :: !call[_pid] && cabin != _pid -> call[_pid] = true
  od
}

#ifdef MENDED
bool goes_up = true;
#define is_ahead(floor) (call[floor] && (goes_up && floor > cabin || !goes_up && floor < cabin))
#define somebody_ahead (is_ahead(0) || is_ahead(1) || is_ahead(2))
#endif

active proctype control() {
  do
  :: call[cabin] ->
       is_open = true;
       call[cabin] = false;
       is_open = false
  :: !call[cabin] && (call[0] || call[1] || call[2]) ->
       if
#ifdef MENDED
       /* Goes on in its direction while somebody ahead waits. */
       :: somebody_ahead -> cabin = (goes_up -> cabin + 1 : cabin - 1)
       :: else -> goes_up = !goes_up
#else
       /* Goes to the nearest floor where somebody waits; of two that are as near, to the lower one. */
       :: cabin == 0 -> cabin = 1
       :: cabin == 1 -> cabin = (call[0] -> 0 : 2)
       :: cabin == 2 -> cabin = 1
#endif
       fi
  od
}

ltl top_is_served { [] (call[2] -> <> (cabin == 2 && is_open)) }
