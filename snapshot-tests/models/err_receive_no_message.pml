/* a receive computes the values that it compares with a message: no message, or a field that differs before, no fault */
chan unset;
chan empty_one = [1] of { byte, byte };
chan other = [2] of { byte, byte };
byte a[2], i = 3, x;
active proctype P() { end: empty_one?eval(len(unset)),x }
active proctype Q() { end: empty_one?x,eval(a[i]) }
active proctype R() { end: empty_one??x,eval(a[i]) }
active proctype S()
{
	other!3,4;
	if
	:: other?2,eval(a[i])
	:: other?[2,eval(a[i])]
	:: else
	fi
}
