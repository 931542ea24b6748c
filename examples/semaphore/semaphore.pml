/* Two clients share a semaphore. */

bool taken;          /* the semaphore */
bool waiting[2];     /* who has asked for it */
bool critical[2];    /* who has it */

active [2] proctype client()
{
    do
    :: waiting[_pid] = true;
       atomic { !taken -> taken = true };
       waiting[_pid] = false;
       critical[_pid] = true;
       critical[_pid] = false;
       taken = false
    od
}

ltl exclusion { [] !(critical[0] && critical[1]) }
ltl served    { [] (waiting[0] -> <> critical[0]) }
