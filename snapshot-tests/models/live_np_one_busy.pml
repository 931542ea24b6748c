/* Busy can go on alone without progress; a fair run comes to Good's label */
byte g;
active proctype Busy() { byte i; do :: i = 1; i = 0 od }
active proctype Good() { do :: g = 1; progress_ok: g = 0 od }
