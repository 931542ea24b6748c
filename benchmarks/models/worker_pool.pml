/*
 * Processes that come and go: a server starts a worker for each request.
 *
 * Clients send a request with a channel for the answer; the server keeps up to
 * WORKERS workers running, and each of them answers its client and ends.
 * Sizes: CLIENTS, WORKERS, REQUESTS (of each client).
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif

chan requests = [CLIENTS] of { chan, byte };
chan answers[CLIENTS] = [1] of { byte };
byte running, served;

proctype worker(chan back; byte number) {
  byte result = number;
  result = result + 1;
  back!result;
  atomic { running--; served++ }
}

active proctype server() {
  chan back;
  byte number;
  do
  :: running < WORKERS ->
end_idle:
       requests?back(number);
       running++;
       run worker(back, number);
       number = 0
  od
}

active [CLIENTS] proctype client() {
  byte n, result;
  do
  :: n < REQUESTS ->
       requests!answers[_pid - 1](n);
       answers[_pid - 1]?result;
       assert(result == n + 1);
       result = 0;
       n++
  :: n == REQUESTS -> break
  od
}

ltl all_served { <> (served == CLIENTS * REQUESTS) }
