/* a parameter that nothing reads is part of the state, and its value comes from a hidden variable */
hidden byte h = 1;
proctype P(byte k) { skip }
init { run P(h); run P(1) }
