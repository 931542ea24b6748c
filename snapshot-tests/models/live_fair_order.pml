/* P waits for ever, so that Q may go round alone without progress, fairly; pan
   -l -f finds nothing, though it does in live_fair_order_back */
byte x;
active proctype P() { skip; false }
active proctype Q() { do :: x = 1 - x; progress: break :: x = 1 - x; x = x :: break od }
