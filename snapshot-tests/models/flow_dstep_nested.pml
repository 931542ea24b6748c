/* a d_step or an atomic inside a d_step is part of the same step */
byte x;
active proctype P() {
	d_step { x = 1; d_step { x++; x++ }; atomic { x++ }; x++ }
	assert(x >= 5)
}
active proctype Q() {
	d_step { d_step { x == 5 -> x = 6 }; d_step { if :: x == 6 -> x = 7 :: else -> x = 8 fi } }
	assert(x == 7)
}
