/* nested unless in an atomic: in front of the atomic both escapes can be taken, at a join inside of it none */
byte x;
chan q = [2] of { byte };
active proctype P()
{
	atomic { { { x = 1; x = 2 } unless { x = 5 } } unless { q!1 } };
	x = 3
}
