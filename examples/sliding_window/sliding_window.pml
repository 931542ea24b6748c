/* Go back N: several messages are on the way at a time, and the channel loses some. */

#ifndef WINDOW
#define WINDOW 2       /* how many */
#endif
#ifndef NUMBERS
#define NUMBERS 2      /* messages are numbered 0, 1, .. NUMBERS-1, and begin again */
#endif
#define CONTENTS (NUMBERS + 1)   /* a message carries its place in the stream, modulo this */

chan data = [WINDOW] of { byte, byte };
chan acks = [WINDOW] of { byte };

active proctype sender() {
  byte first, n_on_way, n, number;   /* the oldest message that is not acknowledged, and how many are on the way */
  byte content;                      /* of that one */

  do
  :: n_on_way < WINDOW ->
       data!((first + n_on_way) % NUMBERS), ((content + n_on_way) % CONTENTS);
       n_on_way++
  :: acks?number ->
       /* It acknowledges all up to `number`. */
       n = (number + NUMBERS - first) % NUMBERS + 1;
       if
       :: n <= n_on_way ->
            first = (first + n) % NUMBERS;
            content = (content + n) % CONTENTS;
            n_on_way = n_on_way - n
       :: else
       fi;
       n = 0; number = 0
  :: timeout -> n_on_way = 0         /* send all again */
  od
}

active proctype receiver() {
  byte expected, number, content, next;
  do
  :: data?number, content ->
       if
       :: number == expected ->
            assert(content == next);
            next = (next + 1) % CONTENTS;
            expected = (expected + 1) % NUMBERS
       :: else
       fi;
       number = 0; content = 0;
       acks!((expected + NUMBERS - 1) % NUMBERS)
  od
}

active proctype noise() {
  do
  :: data?_, _
  :: acks?_
  od
}
