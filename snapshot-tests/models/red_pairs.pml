/* two pairs of processes; each pair shares a variable, so that it is a cluster */
int v0;
int v1;
proctype Lo0() { v0 = 0 }
proctype Hi0() { v0 = 1 }
proctype Lo1() { v1 = 0 }
proctype Hi1() { v1 = 1 }
init { atomic { run Lo0(); run Hi0(); run Lo1(); run Hi1() } }
