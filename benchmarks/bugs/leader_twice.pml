/* Rare: a leader is elected by the largest number on a ring; if two nodes draw the same number, both may be elected. */
#define N 4
#define IDS 12
chan ring[N] = [2] of { byte };
byte drawn[N]; byte leaders, steps[N];
active [N] proctype Node() {
  byte own, other;
  select(own : 1 .. IDS);
  drawn[_pid] = own;
  ring[(_pid + 1) % N]!own;
end:
  do
  :: ring[_pid]?other;
     steps[_pid]++;
     if
     :: other > own -> ring[(_pid + 1) % N]!other
     :: other < own
     :: other == own -> leaders++; assert(leaders == 1)
     fi
  od
}
