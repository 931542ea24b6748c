/*
 * A large state: replicas with long logs that copy from each other.
 *
 * A leader appends entries to its log; replicas fetch what they are missing, a
 * chunk of CHUNK entries at a time, from any replica that is ahead of them. The
 * logs hold REPLICAS * LENGTH * WIDTH ints: a state of 300 bytes and more, of
 * which a step changes few. Sizes: REPLICAS, LENGTH, WIDTH, CHUNK.
 */
#ifndef REPLICAS
#define REPLICAS 4
#endif
#ifndef LENGTH
#define LENGTH 10
#endif
#ifndef WIDTH
#define WIDTH 2
#endif
#ifndef CHUNK
#define CHUNK 1
#endif

typedef Entry { int word[WIDTH] }
typedef Log { Entry entry[LENGTH]; byte length }

Log log[REPLICAS];

#define LAST(who) log[who].entry[log[who].length - 1]

active proctype leader() {
  byte word;
  do
  :: log[0].length < LENGTH ->
       d_step {
         log[0].length++;
         for (word : 0 .. WIDTH - 1) { LAST(0).word[word] = 1000 * log[0].length + word };
         word = 0
       }
  :: log[0].length == LENGTH -> break
  od
}

active [REPLICAS - 1] proctype replica() {
  byte source, n, word;
  do
  :: log[_pid].length < LENGTH ->
       select(source : 0 .. REPLICAS - 1);
       n = 0;
       do
       :: n < CHUNK && log[_pid].length < log[source].length ->
            d_step {
              log[_pid].length++;
              for (word : 0 .. WIDTH - 1) {
                LAST(_pid).word[word] = log[source].entry[log[_pid].length - 1].word[word]
              };
              word = 0;
              assert(LAST(_pid).word[0] == 1000 * log[_pid].length);
              n++
            }
       :: else -> break
       od;
       source = 0
  :: log[_pid].length == LENGTH -> break
  od
}
