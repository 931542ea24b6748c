/* Readers share a document, a writer has it alone. */

#define READERS 2

byte reading;                 /* how many */
bool is_writing, wants_to_write;
bool wants_to_read;           /* reader 0 does */

#ifdef MENDED
#define may_read (!is_writing && !wants_to_write)
#else
#define may_read (!is_writing)
#endif

active [READERS] proctype reader() {
  do
  :: if
     :: _pid == 0 -> wants_to_read = true
     :: else
     fi;
     atomic { may_read -> reading++; if :: _pid == 0 -> wants_to_read = false :: else fi };
     assert(!is_writing);
     reading--
  od
}

active proctype writer() {
  do
  :: wants_to_write = true;
     atomic { reading == 0 -> is_writing = true };
     wants_to_write = false;
     assert(reading == 0);
     is_writing = false
  od
}

ltl writer_is_served { [] (wants_to_write -> <> is_writing) }
