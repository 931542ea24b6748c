/* a name that two options declare: error at line 3 column 51 */
byte x;
active proctype P() { if :: byte a; x = a :: byte a; x = a fi }
