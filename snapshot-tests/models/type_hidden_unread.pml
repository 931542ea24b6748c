/* a hidden variable that nothing reads: states that differ in it match, and nothing is lost */
hidden byte h;
byte n;
active proctype P()
{
	do
	:: n < 3 -> h = n; n++
	:: n < 3 -> h = n + 7; n++
	:: n == 3 -> _ = n; break
	od
}
