/* a mistake in the syntax does not hide those in names and messages: error at line 8 column 10 */
chan link = [2] of { byte, bit };
chan other = [1] of { byte };
byte count;
active proctype Sender()
{
  do
  :: x = = 1
  :: cuont > 3 -> break
  :: link!count
  :: other!x
  od
}
active proctype Receiver()
{
  byte got;
  do
  :: link?got,_
  :: other?got
  :: run Sender(got) -> skip
  od
}
