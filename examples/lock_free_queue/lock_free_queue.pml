/* A queue in a ring of slots, without a lock: producers take numbers of slots, one consumer reads them in order. */

#define PRODUCERS 2
#define SLOTS 2
#define ITEMS 2          /* that each producer puts in */
#define LAST (PRODUCERS * ITEMS)

byte slot[SLOTS];        /* what was put in, never 0 */
byte ready[SLOTS];       /* the number of the item in the slot plus one */
byte reserved, taken;    /* items that producers have begun to put in, and that were taken out */
bool was_taken[LAST + 1];

active [PRODUCERS] proctype producer() {
  byte number, item = _pid * ITEMS;

  do
  :: item < (_pid + 1) * ITEMS ->
       item++;
       /* Compare-and-swap: it succeeds where there is room, and nobody else was faster. */
       atomic { reserved < taken + SLOTS -> number = reserved; reserved++ };
       slot[number % SLOTS] = item;
       ready[number % SLOTS] = number + 1;
       number = 0
  :: item == (_pid + 1) * ITEMS -> break
  od
}

active proctype consumer() {
  byte item;

  do
  :: taken < LAST ->
#ifdef MENDED
       ready[taken % SLOTS] == taken + 1;
#else
       taken < reserved;
#endif
       item = slot[taken % SLOTS];
       assert(item != 0 && !was_taken[item]);
       was_taken[item] = true;
       item = 0;
       taken++
  :: taken == LAST -> break
  od
}
