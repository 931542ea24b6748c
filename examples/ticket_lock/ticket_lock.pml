/* A ticket lock: whoever wants to enter takes a number, and waits until it is called. */

#ifndef N
#define N 2          /* threads */
#endif
#ifndef TICKETS
#define TICKETS 4    /* numbers, before they begin again */
#endif

byte next;      /* the number that the next one takes */
byte serving;   /* the number that may enter */
byte inside;    /* how many are inside; only for the assertion */

active [N] proctype thread()
{
    byte mine;

    do
    :: atomic { mine = next; next = (next + 1) % TICKETS };
       serving == mine;

       inside++;
       assert(inside == 1);
       inside--;

       serving = (serving + 1) % TICKETS
    od
}
