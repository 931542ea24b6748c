/* main sequence and escape wait for the same message: the escape takes it */
chan r = [0] of { byte, bit };
active proctype Takes()
{
  byte l;
  byte m = 1;
  {
    r?_,_
  } unless {
    r?l,m
  }
}
active proctype Gives()
{
  do
  :: r!1,0
  od
}
