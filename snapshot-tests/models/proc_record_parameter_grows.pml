/* The same where nobody knows how many processes there will be, and for processes of the initial state. */
typedef Inner { byte a = 3; byte c };
typedef Outer { Inner inner; byte b };

active proctype Start(Outer r) {
  assert(r.inner.a == 0 && r.inner.c == 0 && r.b == 0);
  r.b = 2;
  r.inner.c = 1;
  run Next(r, 3)
}

proctype Next(Outer r; byte left) {
  assert(r.b + left == 5 && r.inner.c == 1);
  if
  :: left > 0 -> r.b++; run Next(r, left - 1)
  :: else
  fi
}
