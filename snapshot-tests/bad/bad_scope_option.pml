/* a name of another option: error at line 3 column 60 */
byte x;
active proctype P() { if :: byte a; x = a :: x = 2 fi; x = a }
