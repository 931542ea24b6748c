/* exclusive buffered channels under unless: the assertion can fail */
// @pan -E
chan k = [1] of { bit };
active proctype Put() { xs k; k!1 }
active proctype Get() { xr k; { assert(false) } unless { k?1 } }
