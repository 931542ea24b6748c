/* exclusive buffered channels under unless: the assertion can fail */
// @pan -E
chan k = [1] of { bit };
active proctype Put() { bit x; xs k; x = 1; k!x }
active proctype Get() { xr k; { assert(false) } unless { k?1 } }
