/* Twenty-eight steps deep in a space that explodes by level. */
#define N 6
byte slot[N]; byte top; byte x[4];
active [4] proctype Noise() { do :: x[_pid] < 60 -> x[_pid]++ :: x[_pid] = 0 od }
active proctype Pusher() { do :: top < 14 -> top++; assert(top < 14) od }
active proctype Popper() { do :: top > 0 && x[0] > 50 -> top-- od }
