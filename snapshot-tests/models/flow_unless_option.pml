/* unless at the head of options, nested: it covers the whole selection, the last option first (Spin warns of it) */
byte x;
active proctype p() {
  { do
  :: x == 50 -> x = 51
  :: { { x < 3 -> x++ } unless { x == 2 -> x = 5 } } unless { x == 1 -> x = 7 }
  :: x == 60 -> x = 61
  :: { { x < 4 -> x++ } unless { x == 22 -> x = 25 } } unless { if :: x == 21 -> x = 27 :: x == 23 -> x = 28 fi }
  :: x >= 5 -> break
  od } unless { x == 9 -> x = 11 }
}
active proctype env() { x = 1; x = 2; x = 3; x = 4; if :: x = 1 :: x = 7 :: x = 12 :: x = 21 :: x = 22 :: x = 23 :: x = 34 :: x = 35 :: x = 44 fi; x = 75; x = 4; x = 3; x = 9; x = 12 }
