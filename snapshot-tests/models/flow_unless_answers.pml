/* who answers a sender: of receives that fit, those of the outermost escape alone */
chan r = [0] of { byte, byte };
byte told;
active proctype Answers()
{
  byte a, b, c, d;
  do
  :: {
       {
         r?a,_
       } unless {
         if
         :: r?1,b
         :: r?2,b
         :: r?_,1 -> b = 3
         fi;
         told++
       }
     } unless {
       r?2,d;
       told = told + 2
     };
     atomic { told > 3 -> assert(a != 2 && b != 2); break }
  :: told > 6 -> break
  :: r?c,0 -> told = 4
  od
}
active proctype Asks()
{
  byte n;
  do
  :: n < 3 -> n++
  :: r!n,0
  :: r!n,1 -> n = 0
  :: n == 3 -> break
  od
}
