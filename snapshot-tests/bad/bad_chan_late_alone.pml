/* a block of nothing but a channel: error at line 2 column 25 */
active proctype P() { { chan c = [1] of { byte } }; skip }
