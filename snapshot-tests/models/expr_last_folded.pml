/* `_last` is part of the state wherever it is written, even where nobody asks for its value */
byte b, c;
active proctype P()
{
	b = (2 -> b : _last);
	c = 1
}
active proctype Q()
{
	b = 1;
	c = 2
}
