/* Deep in a space without end: a transfer that is not atomic loses money, but only the auditor at a quiet moment sees it. */
#define CLERKS 3
int transfers;
short account[2] = 100;
byte busy;
active [CLERKS] proctype Clerk() {
  short balance;
  do
  :: busy++;
     balance = account[0];
     account[0] = balance - 1;
     account[1] = account[1] + 1;
     transfers++;
     busy--
  :: account[1] > 100 ->
     busy++;
     balance = account[1];
     account[1] = balance - 1;
     account[0] = account[0] + 1;
     transfers++;
     busy--
  od
}
active proctype Auditor() {
  do
  :: atomic { transfers > 40 && busy == 0 -> assert(account[0] + account[1] == 200) }
  od
}
