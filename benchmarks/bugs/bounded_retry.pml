/* Late: a file of many chunks is sent over a lossy channel, and the last chunk's loss is not told to the client. */
#define CHUNKS 60
#define RETRIES 3
mtype = { chunk, ack, done, failed };
chan data = [1] of { mtype, byte };
chan answer = [1] of { mtype };
chan client = [1] of { mtype };
byte arrived;
active proctype Sender() {
  byte n, tries;
  do
  :: n < CHUNKS ->
     data!chunk(n); tries++;
     if
     :: answer?ack -> n++; tries = 0
     :: timeout ->
        if
        :: tries < RETRIES
        :: tries >= RETRIES && n < CHUNKS - 1 -> client!failed; break
        :: tries >= RETRIES && n == CHUNKS - 1 -> n++
        fi
     fi
  :: n == CHUNKS -> client!done; break
  od
}
active proctype Link() {
  byte n;
end:
  do
  :: data?chunk(n);
     if
     :: arrived = n + 1; answer!ack
     :: skip
     fi
  od
}
active proctype Client() {
  mtype m;
  client?m;
  assert(m == failed || arrived == CHUNKS)
}
