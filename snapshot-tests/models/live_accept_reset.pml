/* an inner search that starts before the outer one is done, and keeps its bits
   from seed to seed, misses this cycle */
active proctype P() { byte i;
  accept_0: i = 0;
  accept_1: i = 0;
  i = 0;
  goto accept_1 }
