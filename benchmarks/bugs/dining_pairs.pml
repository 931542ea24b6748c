/* A deadlock by rendezvous: all clients call their neighbour at once, and nobody listens. */
#ifndef N
#define N 9
#endif
chan call[N] = [0] of { byte };
active [N] proctype Talker() {
  byte who, mood;
  do
  :: mood = (mood + 1) % 7
  :: mood == 3 -> call[(_pid + 1) % N]!_pid; mood = 0
  :: mood < 3 -> call[_pid]?who
  od
}
