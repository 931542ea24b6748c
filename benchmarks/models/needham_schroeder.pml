/*
 * Needham and Schroeder's public-key protocol with Lowe's repair, and an intruder.
 *
 * A message is encrypted for `key` and carries three fields. The intruder hears
 * everything, learns what is encrypted for it, repeats what it has heard and
 * makes up messages of what it knows. An initiator talks to the responder or to
 * the intruder. Whoever finishes has been talking to whom it believes.
 * Sizes: INITIATORS, RESPONDERS, MEMORY (messages that the intruder keeps).
 */
#ifndef INITIATORS
#define INITIATORS 1
#endif
#ifndef RESPONDERS
#define RESPONDERS 1
#endif
#ifndef MEMORY
#define MEMORY 1
#endif

/* Agents: initiators first, then responders, the intruder last. Nonces are numbered alike. */
#define AGENTS (INITIATORS + RESPONDERS + 1)
#define INTRUDER (AGENTS - 1)
#define NOTHING AGENTS

mtype = { hello, reply, confirm };

chan net = [0] of { mtype, byte, byte, byte, byte };
chan fake = [0] of { mtype, byte, byte, byte, byte };

/* Whom each agent has finished with; 0 is nobody, else the agent plus one. */
byte finished[AGENTS];
byte partner[AGENTS];

active [INITIATORS] proctype initiator() {
  byte peer, nonce;
  select(peer : INITIATORS .. INTRUDER);
  partner[_pid] = peer + 1;
  net!hello(peer, _pid, _pid, NOTHING);
end_no_reply:
  fake?reply(eval(_pid), eval(_pid), nonce, eval(peer));
  net!confirm(peer, nonce, NOTHING, NOTHING);
  finished[_pid] = peer + 1
}

active [RESPONDERS] proctype responder() {
  byte peer, nonce;
end_idle:
  fake?hello(eval(_pid), peer, nonce, _);
  net!reply(peer, nonce, _pid, _pid);
end_no_confirmation:
  fake?confirm(eval(_pid), eval(_pid), _, _);
  finished[_pid] = peer + 1;
  assert(peer == INTRUDER || partner[peer] == _pid + 1)
}

typedef Message { mtype kind; byte key; byte one; byte two; byte three }

active proctype intruder() {
  Message kept[MEMORY];
  bool knows[AGENTS + 1];
  Message heard;
  byte n_kept, a, b, c;
  knows[INTRUDER] = true;
end:
  do
  :: net?heard.kind(heard.key, heard.one, heard.two, heard.three) ->
       d_step {
         if
         :: heard.key == INTRUDER && heard.kind == hello -> knows[heard.two] = true
         :: heard.key == INTRUDER && heard.kind == reply -> knows[heard.one] = true; knows[heard.two] = true
         :: heard.key == INTRUDER && heard.kind == confirm -> knows[heard.one] = true
         :: else
         fi
       };
       if
       :: n_kept < MEMORY && heard.key != INTRUDER ->
            d_step {
              kept[n_kept].kind = heard.kind;
              kept[n_kept].key = heard.key;
              kept[n_kept].one = heard.one;
              kept[n_kept].two = heard.two;
              kept[n_kept].three = heard.three;
              n_kept++
            }
       :: true
       fi;
       d_step { heard.kind = 0; heard.key = 0; heard.one = 0; heard.two = 0; heard.three = 0 }
  :: n_kept > 0 ->
       select(a : 0 .. MEMORY - 1);
       if
       :: a < n_kept ->
            if
            :: fake!kept[a].kind(kept[a].key, kept[a].one, kept[a].two, kept[a].three)
            :: true
            fi
       :: else
       fi;
       a = 0
  :: true ->
       select(a : 0 .. AGENTS - 1);
       select(b : 0 .. AGENTS - 1);
       select(c : 0 .. AGENTS - 1);
       /* Nobody may be waiting for it: then it is not sent. */
       if
       :: knows[c] -> if :: fake!hello(a, b, c, NOTHING) :: true fi
       :: knows[b] && knows[c] -> if :: fake!reply(a, b, c, INTRUDER) :: true fi
       :: knows[b] -> if :: fake!confirm(a, b, NOTHING, NOTHING) :: true fi
       :: else
       fi;
       a = 0; b = 0; c = 0
  od
}
