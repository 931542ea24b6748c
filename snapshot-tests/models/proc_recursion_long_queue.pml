/* a queue too long to be kept in place, fields of 2 and 32 bits in its messages, beside processes that start each other */
mtype = { folder, file, link };
chan listing = [20] of { mtype, int };
int bytes;
proctype Walk(chan above)
{
  int size, one, other;
  chan here = [0] of { int };
  if
  :: listing?folder(size) ->
     run Walk(here);
     here?one;
     run Walk(here);
     here?other;
     above!size + one + other
  :: listing?file(size) -> above!size
  :: listing?link(size) -> bytes = bytes - size; above!0
  fi
}
active proctype List()
{
  listing!folder(4096);
  listing!folder(-4096);
  listing!file(100000);
  listing!link(-2147483647);
  listing!folder(0);
  listing!file(7);
  listing!file(65535);
  listing!file(3)
}
init {
  chan here = [0] of { int };
  int sum;
  run Walk(here);
  here?sum;
  bytes = bytes + sum;
  assert(bytes == 165542 + 2147483647)
}
