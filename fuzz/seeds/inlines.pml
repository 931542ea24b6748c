byte x, y;
inline set(a, b) { byte t; t = b; a = t }
inline twice(p) { set(x, p); set(y, p + 1) }
inline larger(a, b) { if :: a > b -> return a :: else -> return b fi }
active proctype P() { twice(3); x = larger(x, y) }
