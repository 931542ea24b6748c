// Holding a message now does not keep a channel from being empty later: taken alone, the second send would make sure
// that the `else` is never open. Violated. The sender has the higher pid, so that it is tried first.
chan k = [2] of { bit };

active proctype Get() {
  k?_;
  if
  :: k?_
  :: else -> assert(false)
  fi
}

active proctype Put() {
  k!1;
  k!1
}
