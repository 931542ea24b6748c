/* a file of the author: line 2 column 1 */
c_decl {
\#include "queue.h"
}
active proctype P() { skip }
