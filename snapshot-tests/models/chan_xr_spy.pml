/* channels as parameters: a process outside the ring looks into it in the middle
   of an atomic sequence */
chan q[2] = [1] of { byte };
proctype Node(chan in; chan out) { xr in; xs out; byte v; out!1; in?v }
proctype Spy(chan c) { byte v; atomic { v = 3; if :: c?v :: skip fi } }
init { atomic { run Node(q[0], q[1]); run Node(q[1], q[0]); run Spy(q[0]) } }
