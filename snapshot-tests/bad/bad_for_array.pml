/* an array that counts: error at line 2 column 39 */
active proctype P() { byte a[2]; for (a : 1 .. 2) { skip } }
