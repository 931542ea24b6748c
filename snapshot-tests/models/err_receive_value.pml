/* a value is a fault if it is compared; a poll of any message computes it also if there is no message */
chan q = [1] of { byte, byte };
byte a[2], i = 3, x;
active proctype P()
{
	if
	:: q??[eval(a[i]),3]
	:: else
	fi;
	x = 1
}
