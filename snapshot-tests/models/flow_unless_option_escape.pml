/* an escape whose own head has an escape, at the head of an option */
byte x;
active proctype p() {
  if
  :: { { x < 3 -> x++ } unless { { x == 2 -> x = 5 } unless { x == 12 -> x = 15 } } } unless { x == 1 -> x = 7 }
  :: x == 60 -> x = 61
  fi
}
active proctype env() { x = 1; x = 2; x = 3; x = 4; if :: x = 1 :: x = 7 :: x = 12 :: x = 21 :: x = 22 :: x = 23 :: x = 34 :: x = 35 :: x = 44 fi; x = 75; x = 4; x = 3; x = 9; x = 12 }
