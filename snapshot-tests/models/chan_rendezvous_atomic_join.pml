/* the end of a choice at the end of an atomic is a place to stand: the sender
   that handed over control there needs one more step to leave the atomic */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; if :: c!1 :: c!2 fi }; x = 2 }
active proctype R() { byte v; c?v; x = v }
