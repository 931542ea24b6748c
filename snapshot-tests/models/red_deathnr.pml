/* _nr_pr depends on who has ended */
// @pan -E
active proctype Old() { assert(_nr_pr == 1) }
active proctype Young() { skip }
