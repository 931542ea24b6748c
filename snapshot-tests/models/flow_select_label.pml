/* a label in front of `select`: a range of few constants is one choice, which has the label; a long one is a
   loop that Spin writes out behind the label; any other is a loop with the label behind the initialisation */
byte n, k, top = 3;
active proctype P()
{	byte i;
A:	select (i : 1 .. 3);
	k = k + i;
	if
	:: n == 0 -> n = 1; goto A
	:: else
	fi;
B:	select (i : 1 .. 40);
	if
	:: n == 1 && i > 38 -> n = 2; goto B
	:: n == 2 || i <= 38
	fi;
C:	select (i : 1 .. top);
	k = k + i;
	if
	:: n < 3 -> n = 3; goto C
	:: else
	fi;
	assert(k != 12)
}
