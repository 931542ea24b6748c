byte a[3] = { 1, 2, 3 }
mtype:fruit = { apple, pear }
D_proctype P()
{
	int i = 'a'
	mtype:fruit f = pear
	if
	:: i > 0
	:: else
	fi
	{ i = ~i ^ 3 & 5 | 2 << 1 >> 2 }
	unless
	{ i++ }
}
init { atomic { run P() } }
