/*
 * A sliding window protocol that goes back N, over channels that lose.
 *
 * The sender has up to WINDOW messages on the way, numbered modulo SEQUENCE;
 * the receiver takes them in order only and acknowledges the last one taken.
 * The content is the number modulo 4, so that a duplicate or a gap shows.
 * Sizes: WINDOW, SEQUENCE (larger than WINDOW), CAPACITY.
 */
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef SEQUENCE
#define SEQUENCE 4
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#define NEXT(n) (((n) + 1) % SEQUENCE)

chan data = [CAPACITY] of { byte, byte };
chan acks = [CAPACITY] of { byte };

active proctype sender() {
  byte base, next, in_flight, again, number, content[SEQUENCE];
  byte fresh;
  do
  :: in_flight < WINDOW ->
       content[next] = fresh;
       fresh = (fresh + 1) % 4;
       data!next,content[next];
       next = NEXT(next);
       in_flight++
  :: acks?number ->
       do
       :: in_flight > 0 && base != NEXT(number) ->
            if
            :: (number + SEQUENCE - base) % SEQUENCE < in_flight -> base = NEXT(base); in_flight--
            :: else -> break
            fi
       :: else -> break
       od
  :: timeout ->
       again = base;
       do
       :: again != next && len(data) < CAPACITY -> data!again,content[again]; again = NEXT(again)
       :: else -> break
       od
  od
}

active proctype receiver() {
  byte expected, number, value, wanted;
  do
  :: data?number,value ->
       if
       :: number == expected ->
            assert(value == wanted);
            wanted = (wanted + 1) % 4;
            expected = NEXT(expected)
       :: else
       fi;
       acks!((expected + SEQUENCE - 1) % SEQUENCE)
  od
}

active proctype noise() {
  byte number, value;
  do
  :: data?number,value
  :: acks?number
  od
}
