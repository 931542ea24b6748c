/* No violation: a readers-writers lock that is right, in a space of some ten thousand states. */
#define READERS 3
#define WRITERS 2
byte reading, writing; byte page[READERS], draft[WRITERS];
active [READERS] proctype Reader() {
  do
  :: atomic { writing == 0 -> reading++ };
     assert(writing == 0);
     page[_pid] = (page[_pid] + 1) % 5;
     assert(page[_pid] < 5);
     reading--
  od
}
active [WRITERS] proctype Writer() {
  do
  :: atomic { reading == 0 && writing == 0 -> writing++ };
     assert(writing == 1 && reading == 0);
     draft[_pid - READERS] = (draft[_pid - READERS] + 1) % 5;
     assert(draft[_pid - READERS] < 5);
     writing--
  od
}
