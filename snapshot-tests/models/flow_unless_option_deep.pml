/* nested unless at the head of an option inside nested unless: escapes of one option are one group */
byte x;
active proctype p() {
  { if
  :: { { { if :: x == 70 -> x = 71 :: { x == 75 -> x = 76 } unless { x == 1 -> x = 7 } fi }  unless { x == 3 -> x = 5 } } unless { x == 4 -> x = 6 } }
  :: x == 2 
  :: {{ x == 33 } unless { x == 34 }} unless { x == 35 }
  fi } unless { x == 44 }
}
active proctype env() { x = 1; x = 2; x = 3; x = 4; if :: x = 1 :: x = 7 :: x = 12 :: x = 21 :: x = 22 :: x = 23 :: x = 34 :: x = 35 :: x = 44 fi; x = 75; x = 4; x = 3; x = 9; x = 12 }
