/* a jump that leaves an atomic is the last step of it, so that an escape can cut
   in before (without the atomic it could not, see flow_unless_goto) */
byte x;
active proctype P()
{
	atomic { skip; { x = 1; goto out; x = 2 } unless { x == 1 -> x = 7 } };
	x = 4;
out:	x = x + 1
}
