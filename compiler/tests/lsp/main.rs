//! An editor talks to `pmc lsp`, over its standard input and output.

mod conversation;
mod editor;
mod messages;
mod names;
mod verification;

/// Most of what an editor asks about.
const MODEL: &str = "\
#define LIMIT 3
#define is_full (count == LIMIT)
mtype = { ping, pong };
typedef Point { byte x; byte y };

/* How many there are. */
byte count;
chan link = [2] of { mtype, byte };
Point place;

inline bump(n) { n++; count = count }

active proctype sender() {
  byte own;
again:
  if
  :: count < 3 -> count++; link!ping(count); goto again
  :: count == 3 -> bump(own)
  fi;
  place.x = own
}

active proctype receiver() {
  mtype kind;
  byte value;
end:
  do
  :: link?kind(value) -> assert(value <= 3 && place.x < 2)
  od
}

ltl bounded { [] (count <= 3) }
ltl wrong { [] (count < 3) }
";
