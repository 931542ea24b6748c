// An option has no scope in Spin: what it declares is visible up to the end of the block around.
// @pmc -A option-scope
byte z;
typedef Rec { byte f };
chan c = [1] of { Rec };
active proctype P() {
  if
  :: byte a = 1; z = a
  :: z = a + 2
  fi;
  {
    a++;
    do
    :: z < 4 -> if :: byte b; b = z; z++ :: b == 7 -> break fi
    :: z >= 4 -> Rec r; r.f = b; c!r; break
    :: b == 99 -> break
    od;
    b--;
    r.f++;
    if :: c?r :: c?[r.f] -> skip :: else fi;
    z = b + r.f
  };
  a--
}
