/* The alternating bit protocol: numbered messages arrive once and in order,
 * although the channel between sender and receiver may lose any of them. */

#define MAX 4   /* messages count 0, 1, .. MAX-1, and begin again */

mtype = { message, acknowledgement };

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender   = [1] of { mtype, bit };

inline next(n)
{
    n = (n + 1) % MAX
}

active proctype sender()
{
    byte number;
    bit sequence, got;

    do
    :: to_receiver!message(number, sequence) ->
       if
       :: to_sender?acknowledgement(got) ->
          if
          :: got == sequence -> sequence = 1 - sequence; next(number)
          :: else  /* an old one: send again */
          fi
       :: true  /* waited long enough: send again */
       fi
    od
}

active proctype receiver()
{
    byte number, expected;
    bit got, sequence;

    do
    :: to_receiver?message(number, got) ->
       if
       :: got == sequence ->
          assert(number == expected);
          next(expected);
          sequence = 1 - sequence
       :: else  /* seen before */
       fi;
       to_sender!acknowledgement(got)
    od
}

/* Takes a message out of a channel, now and then. */
active proctype thief()
{
    do
    :: to_receiver?message(_, _)
    :: to_sender?acknowledgement(_)
    od
}
