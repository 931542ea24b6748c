/* the same for a loop over an array, with several labels; a process may stop at
   the loop, where `end` stands, but not before the initialisation */
byte n, k, a[3];
active proctype P()
{	byte i;
	n == 0;
end:	again:	for (i in a) {
		k++;
		if
		:: i == 1 && n == 0 -> n = 1; goto again
		:: else
		fi
	}
	assert(k == 4)
}
active proctype Q() { n == 0; n = n; P@again; P@end; assert(k > 0) }
