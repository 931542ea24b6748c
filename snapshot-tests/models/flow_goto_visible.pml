/* a jump is a step after all if it carries a label that begins with end, accept
   or progress; another label does not change it */
// @modes exact por first
byte x;
active proctype P()
{
	x = 1;
end:	goto M;
	x = 2;
M:	x = 2;
progress_1: goto N;
	x = 7;
N:	do :: x = 2; accept: break od;
plain:	goto out;
	x = 8;
out:	x = 9
}
