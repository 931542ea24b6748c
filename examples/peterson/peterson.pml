/* Peterson's algorithm: two processes share a critical section without a lock. */

bool wants[2];   /* who wants to enter */
byte turn;       /* who goes first if both do */
byte critical;   /* how many are inside; only for the assertion */

active [2] proctype worker()
{
    byte other = 1 - _pid;

    do
    :: wants[_pid] = true;
       turn = other;
       /* wait until the other is away, or has let us go first */
       (!wants[other] || turn == _pid);

       critical++;
       assert(critical == 1);
       critical--;

       wants[_pid] = false
    od
}
