/* Deep: a token is lost only in its thirtieth round. */
#define N 5
chan link[N] = [1] of { byte };
byte noise[N]; bool lost;
proctype Station(byte id) {
  byte round;
  do
  :: link[id]?round;
     if :: id == 0 -> round++ :: else fi;
     if :: round < 30 -> link[(id + 1) % N]!round :: else -> lost = true fi
  :: noise[id] = (noise[id] + 1) % 10
  od
}
init { atomic { run Station(0); run Station(1); run Station(2); run Station(3); run Station(4); link[0]!0 };
  do :: assert(!lost) od }
