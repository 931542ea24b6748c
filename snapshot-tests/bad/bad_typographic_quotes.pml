/* typographic quotes: error at line 2 column 30 */
active proctype P() { printf(“hello”) }
