// SYNTAX TEST "source.promela" "what is coloured how"

#define LIMIT 3
// <------- keyword.control.directive.define.promela
//      ^^^^^ entity.name.function.preprocessor.promela
//            ^ constant.numeric.promela
#include "common.h"
// <-------- keyword.control.directive.include.promela
//       ^^^^^^^^^^ string.quoted.include.promela
#ifdef LIMIT
// <------ keyword.control.directive.conditional.promela
#endif
mtype = { ping, pong };
// <----- storage.type.promela
/* a comment, over
   two lines */
// <---------- comment.block.promela
hidden byte count = 0;
// <------ storage.modifier.promela
//     ^^^^ storage.type.promela
//                  ^ constant.numeric.promela
chan link = [2] of { mtype, byte };
// <---- storage.type.promela
//              ^^ keyword.other.promela
inline bump(n) { n++ }
// <------ storage.type.inline.promela
//     ^^^^ entity.name.function.inline.promela
//                ^^ keyword.operator.assignment.promela
active proctype sender() {
// <------ storage.modifier.promela
//     ^^^^^^^^ storage.type.proctype.promela
//              ^^^^^^ entity.name.type.proctype.promela
again:
// <----- entity.name.label.promela
    do
//  ^^ keyword.control.promela
    :: count < LIMIT -> link!ping(count)
//  ^^ keyword.operator.option.promela
//                   ^^ keyword.operator.arrow.promela
//                          ^ keyword.operator.channel.promela
    :: link?[_] -> atomic { assert(_pid == 1) }
//         ^ keyword.operator.channel.promela
//           ^ variable.language.promela
//                 ^^^^^^ keyword.control.atomic.promela
//                          ^^^^^^ keyword.other.promela
//                                 ^^^^ variable.language.promela
    :: else -> goto again
//     ^^^^ keyword.control.promela
//             ^^^^ keyword.control.promela
    od;
    printf("%d left\n", len(link));
//         ^ string.quoted.double.promela
//          ^^ constant.other.placeholder.promela
//                 ^^ constant.character.escape.promela
//                      ^^^ support.function.promela
    bump(count)
//  ^^^^ entity.name.function.promela
}
ltl served { [] (sender@again -> <> true) }
// <--- keyword.other.ltl.promela
//  ^^^^^^ entity.name.function.ltl.promela
//           ^^ keyword.operator.temporal.promela
//               ^^^^^^ entity.name.type.proctype.promela
//                      ^^^^^ entity.name.label.promela
//                               ^^ keyword.operator.temporal.promela
//                                  ^^^^ constant.language.promela
never { do :: !(count < 3) -> break :: else od }
// <----- storage.type.claim.promela
//                            ^^^^^ keyword.control.promela
timer t;
// <----- storage.type.timer.promela
active proctype alarm() { set(t, 3); expire(t) }
//                        ^^^ support.function.timer.promela
//                                   ^^^^^^ support.function.timer.promela
byte on; init { on = 1 }
//              ^^ - support.function.timer.promela
