/* A fault at the end of a long deterministic chain: the ring's index is one too far after its last turn. */
#ifndef TURNS
#define TURNS 1000
#endif
byte ring[16]; byte at; short turn;
active proctype Filler() {
  do
  :: turn < TURNS ->
     at = 0;
     do
     :: at < 16 -> ring[at] = turn % 251; at++
     :: at == 16 -> break
     od;
     turn++
  :: turn == TURNS -> break
  od;
  ring[at] = 1
}
