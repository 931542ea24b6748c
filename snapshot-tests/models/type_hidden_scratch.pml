/* hidden variables that every step sets before it reads them: what earlier steps left does not matter */
hidden byte t, i;
byte a = 1, b = 2, c[3];
active [2] proctype P()
{
	do
	:: d_step { a + b == 3; t = a; a = b; b = t }
	:: d_step { a == 1; i = 0; do :: i < 3 -> c[i] = 1 - c[i]; i++ :: else -> break od; i = 0 }
	:: break
	od
}
