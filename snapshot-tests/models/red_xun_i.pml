/* a random receive looks at the whole queue: the assertion can fail */
// @pan -E
chan k = [3] of { byte };
active proctype Get() { nempty(k); { assert(false) } unless { k??2 } }
active proctype Put() { xs k; k!1; k!2 }
