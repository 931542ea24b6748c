// A channel that is created behind a statement comes into being with its process, once, and its declaration is no step.
// @pmc -A late-channel
// @complains
byte z;
inline f(n) { chan own = [1] of { byte }; own!n; own?z }
active proctype P() {
  z = 3;
  chan c = [2] of { byte };
  if
  :: chan d = [1] of { byte }; d!z
  :: z > 5 -> skip
  :: c!1
  fi;
  f(4); f(5);
  do
  :: len(c) < 2 -> chan e[2] = [1] of { byte }; e[1]!2; c!3; e[1]?_
  :: else -> break
  od;
  atomic { z = 1; chan h = [1] of { byte }; h!2 }
}
