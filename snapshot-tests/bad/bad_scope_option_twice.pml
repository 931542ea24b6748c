/* a name that two options declare, used behind them: error at line 3 column 68 */
byte x;
active proctype P() { if :: byte a; x = a :: byte a; x = a fi; x = a }
