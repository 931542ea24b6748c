/* priority goes before atomic: when a process of higher priority becomes
   executable, the atomic is interrupted and the state is stored */
byte x;
active proctype H() priority 5 { x == 2; x = 7 }
active proctype M() priority 3 { atomic { x = 2; x = 3; skip }; x = 2; x = 5 }
active proctype L() priority 1 { x = 2; x = 1 }
