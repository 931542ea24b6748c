/* The public-key protocol of Needham and Schroeder, with an intruder who reads and writes every message. */

/* Agents. The nonce of an agent, a number that it has made up, goes by its name. */
#define NOBODY 0
#define ALICE 1
#define BOB 2
#define INTRUDER 3

mtype = { hello, reply, confirm };

/* Kind, whose key it is encrypted with, and up to three fields: nonces and names. */
chan sent      = [0] of { mtype, byte, byte, byte, byte };  /* the intruder takes every message */
chan delivered = [0] of { mtype, byte, byte, byte, byte };  /* and delivers what it likes */

byte alice_talks_to, bob_talks_to;
bool bob_is_sure;

#ifdef MENDED
#define BOBS_NAME BOB      /* Lowe: the reply names who replies */
#else
#define BOBS_NAME NOBODY
#endif

active proctype alice() {
  byte nonce;
  if
  :: alice_talks_to = BOB
  :: alice_talks_to = INTRUDER
  fi;
  sent!hello(alice_talks_to, ALICE, ALICE, NOBODY);
end_no_reply:
  if
#ifdef MENDED
  :: delivered?reply(ALICE, ALICE, nonce, eval(alice_talks_to))
#else
  :: delivered?reply(ALICE, ALICE, nonce, NOBODY)
#endif
  fi;
end_nobody_listens:
  sent!confirm(alice_talks_to, nonce, NOBODY, NOBODY)
}

active proctype bob() {
  byte nonce;
end_nobody_called:
  delivered?hello(BOB, nonce, bob_talks_to, NOBODY);
end_nobody_listens:
  sent!reply(bob_talks_to, nonce, BOB, BOBS_NAME);
end_no_confirmation:
  delivered?confirm(BOB, BOB, NOBODY, NOBODY);
  bob_is_sure = true;
  /* Bob believes to talk to Alice: then she talks to him. */
  assert(bob_talks_to != ALICE || alice_talks_to == BOB)
}

active proctype intruder() {
  bool knows[4];             /* whose nonces */
  mtype kind, kept_kind;
  byte key, one, two, three, kept_key, kept_one, kept_two, kept_three;
  knows[INTRUDER] = true;

end:
  do
  :: sent?kind(key, one, two, three) ->
       d_step {
         if
         :: key == INTRUDER && kind == hello -> knows[one] = true
         :: key == INTRUDER && kind == reply -> knows[one] = true; knows[two] = true
         :: key == INTRUDER && kind == confirm -> knows[one] = true
         :: else ->
              /* Not for the intruder: it cannot read it, but keeps it. */
              kept_kind = kind; kept_key = key; kept_one = one; kept_two = two; kept_three = three
         fi;
         kind = 0; key = 0; one = 0; two = 0; three = 0
       }

  /* Delivers what it has kept (nobody takes an empty message), */
  :: delivered!kept_kind(kept_key, kept_one, kept_two, kept_three)

  /* or something of its own, with a nonce that it knows, as whoever it likes. */
  :: if
     :: one = ALICE
     :: one = INTRUDER
     fi;
     if
     :: knows[one] ->
          if
          :: delivered!hello(BOB, one, ALICE, NOBODY)
          :: delivered!hello(BOB, one, INTRUDER, NOBODY)
          :: true
          fi
     :: else
     fi;
     one = 0
  :: knows[ALICE] -> if :: delivered!reply(ALICE, ALICE, INTRUDER, INTRUDER * (BOBS_NAME != NOBODY)) :: true fi
  :: knows[BOB] -> if :: delivered!confirm(BOB, BOB, NOBODY, NOBODY) :: true fi
  od
}
