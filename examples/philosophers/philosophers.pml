/* Dining philosophers, who all reach for the left fork first. */

#ifndef N
#define N 4
#endif

bool taken[N];   /* forks; philosopher i sits between fork i and fork i+1 */

#define left  (_pid)
#define right ((_pid + 1) % N)

inline take(fork)
{
    atomic { !taken[fork] -> taken[fork] = true }
}

inline put_back(fork)
{
    taken[fork] = false
}

active [N] proctype philosopher()
{
    do
    :: take(left);
       take(right);
       printf("philosopher %d eats\n", _pid);
       put_back(right);
       put_back(left)
    od
}
