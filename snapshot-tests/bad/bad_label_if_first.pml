/* a label on an if that opens a block: error at line 2 column 25 */
active proctype P() { { L: if :: skip fi }; goto L }
