/* a rendezvous channel never holds a message, so to poll it is an error; `else` is taken all the same */
chan c = [0] of { byte };
byte x;
active proctype P()
{	if
	:: c?[1] -> x = 1
	:: else -> x = 2
	fi
}
active proctype Q() { end: c!1 }
