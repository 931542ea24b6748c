/* so are jumps to the last step of an atomic, and out of it: here control is
   handed over before each of them */
chan c = [0] of { byte };
byte x;
active proctype S()
{
	atomic {
		x = 1;
		do :: c!1; break :: c!2; goto L :: c!3 -> if :: c!4 fi od;
		x = 3;
		if :: x == 3 -> c!1 :: c!2; goto L fi;
L:		x = 4
	};
	x = 7
}
active proctype R() { byte v; do :: c?v -> x = v :: x == 4 -> break od }
