/* a variable that holds now this channel, now that one, of messages with one field and with two */
chan one = [2] of { byte };
chan two = [1] of { byte, bit };
byte seen;
active proctype Gives()
{
  one!3; two!4,1; one!5
}
active proctype Looks()
{
  chan c = one;
  byte a;
  bit b;
  nempty(c);
  c?a -> seen = seen + a;
  c = two;
  c?a,b -> seen = seen + a + b;
  c = one;
  c?[5] -> c?a;
  seen = seen + a;
  assert(seen == 13 && len(c) == 0)
}
