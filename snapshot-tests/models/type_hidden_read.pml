/* states match although the hidden variable that decides when to stop differs: the second round is not looked at,
   and so the assertion, which fails after it, holds */
hidden byte h;
byte n;
active proctype P()
{
	do
	:: h < 2 -> h++; n = 1 - n
	:: h == 1 -> break
	:: h == 2 -> assert(n == 1); break
	od
}
