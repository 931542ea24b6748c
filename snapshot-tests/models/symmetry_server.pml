/* Clients that init starts together ask a server, who tells each on a channel of its own who asked before. */
#define N 2
typedef Row { bool to[4] };
Row knows[4];
mtype = { ask, yes };
chan req = [2] of { mtype, pid };
chan rep[4] = [1] of { mtype, pid };
pid last = 255;
proctype Client() {
  pid other = 255;
  do
  :: req!ask(_pid);
     rep[_pid]?yes(other);
     if
     :: other != 255 -> knows[_pid].to[other] = true
     :: else
     fi;
     assert(!knows[_pid].to[_pid]);
     other = 255
  od
}
active proctype Server() {
  pid c = 255;
end:
  do
  :: req?ask(c); rep[c]!yes(last); d_step { last = c; c = 255 }
  od
}
init {
  byte k;
  atomic { do :: k < N -> run Client(); k++ :: else -> break od }
}
