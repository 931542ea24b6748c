/*
 * A file transfer in chunks that are repeated a few times and then given up.
 *
 * The sender tags the first and the last chunk and alternates a bit; it repeats
 * a chunk at most RETRIES times, then tells its user that it does not know.
 * Both channels may lose messages. Both users must never believe opposite
 * things. Sizes: CHUNKS, RETRIES, FILES (sent one after another).
 */
#ifndef CHUNKS
#define CHUNKS 8
#endif
#ifndef RETRIES
#define RETRIES 3
#endif
#ifndef FILES
#define FILES 4
#endif

mtype = { first, middle, final, ok, not_ok, unknown };

chan chunks = [2] of { mtype, byte, bit };
chan acks = [2] of { bit };
chan new_file = [0] of { byte };

mtype sent, received;
byte arrived;

active proctype sender() {
  byte chunk, tries, file;
  bit flag, seen;
next_file:
  file < FILES -> new_file!file; sent = 0; received = 0; chunk = 0; file++;
next_chunk:
  tries = 0;
again:
  if
  :: chunk == 0 -> chunks!first(chunk, flag)
  :: chunk > 0 && chunk < CHUNKS - 1 -> chunks!middle(chunk, flag)
  :: chunk == CHUNKS - 1 -> chunks!final(chunk, flag)
  fi;
  do
  :: acks?seen ->
       if
       :: seen == flag -> flag = 1 - flag; break
       :: else
       fi
  :: timeout ->
       if
       :: tries < RETRIES -> tries++; goto again
       :: tries == RETRIES -> sent = (chunk == CHUNKS - 1 -> unknown : not_ok); goto finished
       fi
  od;
  chunk++;
  if
  :: chunk < CHUNKS -> goto next_chunk
  :: chunk == CHUNKS -> sent = ok
  fi;
finished:
  timeout;
  assert(sent != ok || received == ok);
  assert(sent != not_ok || received != ok);
  if
  :: file < FILES -> flag = 0; goto next_file
  :: file == FILES
  fi
}

active proctype receiver() {
  byte chunk, wanted;
  mtype tag;
  bit flag, expected;
end:
  do
  :: new_file?_ -> wanted = 0; expected = 0; arrived = 0
  :: chunks?tag(chunk, flag) ->
       if
       :: flag == expected && chunk == wanted ->
            arrived++;
            assert(arrived == chunk + 1);
            received = (tag == final -> ok : unknown);
            expected = 1 - expected;
            wanted++
       :: else
       fi;
       acks!flag
  od
}

active proctype noise() {
  bit flag;
end:
  do
  :: chunks?_,_,_
  :: acks?flag; flag = 0
  od
}

ltl sender_knows { <> (sent != 0) }
