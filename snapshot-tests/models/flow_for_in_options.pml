// Two loops over channels in options of one block share their counter, since options have no scope in Spin.
typedef Rec { byte f };
chan c = [2] of { Rec };
chan d = [2] of { Rec };
byte z;
active proctype P() {
  Rec r;
  c!r; d!r; d!r;
  do
  :: z < 2 -> for (r in c) { z++ }
  :: z < 3 -> for (r in d) { z++ }; { for (r in d) { z++ } }
  :: z >= 2 -> break
  od;
  for (r in d) { z++ }
}
