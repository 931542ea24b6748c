/* A farmer has to bring a wolf, a goat and a cabbage over a river, in a boat with room for one of them. */

bool farmer, wolf, goat, cabbage;   /* on the other side */

/* With the goat alone, the wolf eats it; with the cabbage alone, the goat eats that. */
#define safe(farmer, wolf, goat, cabbage) (goat == farmer || wolf != goat && goat != cabbage)

active proctype boat() {
  do
  :: d_step { safe(!farmer, wolf, goat, cabbage) -> farmer = !farmer; printf("alone\n") }
  :: d_step { wolf == farmer && safe(!farmer, !wolf, goat, cabbage) ->
              farmer = !farmer; wolf = !wolf; printf("with the wolf\n") }
  :: d_step { goat == farmer && safe(!farmer, wolf, !goat, cabbage) ->
              farmer = !farmer; goat = !goat; printf("with the goat\n") }
  :: d_step { cabbage == farmer && safe(!farmer, wolf, goat, !cabbage) ->
              farmer = !farmer; cabbage = !cabbage; printf("with the cabbage\n") }
  od
}

ltl there_is_no_way { [] !(farmer && wolf && goat && cabbage) }
