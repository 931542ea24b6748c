/* a line for the wrong preprocessor: line 2 column 1 */
c_decl {
#define N 3
}
active proctype P() { skip }
