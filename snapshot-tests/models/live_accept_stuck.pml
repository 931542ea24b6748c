/* nobody can move and Stop stands at an accept label: accept stutter, under
   fairness too, since a process that cannot move is owed nothing */
byte g;
active proctype Stop() { accept_here: g == 1 }
active proctype Also() { g == 2 }
