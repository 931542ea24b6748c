/*
 * A lock-free queue, after Michael and Scott: a linked list whose head and tail
 * are moved by compare-and-swap, so that a late thread finishes the work of an
 * early one.
 *
 * Each producer puts in ITEMS numbers; consumers take them out, and no number is
 * lost or comes twice, and those of one producer come in order.
 * Sizes: PRODUCERS, CONSUMERS, ITEMS.
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#define NODES (PRODUCERS * ITEMS + 1)
#define NONE 0

typedef Node { byte value; byte next }

/* Node 1 is the dummy in front; 0 is no node. */
Node node[NODES + 1];
byte head = 1, tail = 1, free = 2;
byte taken[PRODUCERS];

inline compare_and_swap(place, old, new, done) {
  d_step {
    if
    :: place == old -> place = new; done = true
    :: else -> done = false
    fi
  }
}

active [PRODUCERS] proctype producer() {
  byte mine, last, next, n;
  bool done;
  do
  :: n < ITEMS ->
       d_step { mine = free; free++; node[mine].value = _pid * ITEMS + n };
       do
       :: last = tail;
          next = node[last].next;
          if
          :: last != tail
          :: last == tail && next != NONE -> compare_and_swap(tail, last, next, done)
          :: last == tail && next == NONE ->
               compare_and_swap(node[last].next, NONE, mine, done);
               if
               :: done -> break
               :: !done
               fi
          fi
       od;
       compare_and_swap(tail, last, mine, done);
       n++
  :: n == ITEMS -> break
  od
}

active [CONSUMERS] proctype consumer() {
  byte first, last, next, value;
  bool done;
end:
  do
  :: first = head;
     last = tail;
     next = node[first].next;
     if
     :: first != head
     :: first == head && first == last && next == NONE ->
end_empty:
          head != tail
     :: first == head && first == last && next != NONE -> compare_and_swap(tail, last, next, done)
     :: first == head && first != last ->
          value = node[next].value;
          d_step {
            if
            :: head == first ->
                 head = next;
                 /* The numbers of one producer come in order. */
                 assert(taken[value / ITEMS] == value % ITEMS);
                 taken[value / ITEMS]++
            :: else
            fi;
            value = 0
          }
     fi;
     first = 0; last = 0; next = 0
  od
}
