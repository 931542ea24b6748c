/* a rendezvous that nobody answers */
chan k = [0] of { bit };
active proctype A() { k!1 }
