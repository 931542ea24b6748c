/* A lock-free stack, after Treiber: a linked list whose top is moved by compare-and-swap. */

#ifndef VERSIONS
#define VERSIONS 1       /* the top has a version, which counts modulo this */
#endif

/* Nodes 1 and 2 form the stack at first; 0 is no node. */
byte next[3] = { 0, 0, 1 };
byte top = 2, version;
bool is_owned[3];        /* by a thread that has taken it out */

inline pop(node) {
  do
  :: atomic { node = top; seen = version };
     if
     :: node == 0 -> break
     :: else
     fi;
     after = next[node];
     /* Compare-and-swap: has anything changed since? */
     if
     :: atomic { top == node && version == seen -> top = after };
        assert(!is_owned[node]);
        is_owned[node] = true;
        break
     :: else
     fi
  od;
  seen = 0; after = 0
}

inline push(node) {
  is_owned[node] = false;
  do
  :: after = top;
     next[node] = after;
     if
     :: atomic { top == after -> top = node; version = (version + 1) % VERSIONS }; break
     :: else
     fi
  od;
  after = 0; node = 0
}

active [2] proctype thread() {
  byte first, second, after, seen;

  pop(first);
  if
  :: first != 0 ->
       pop(second);
       push(first);
       if
       :: second != 0 -> push(second)
       :: else
       fi
  :: else
  fi
}
