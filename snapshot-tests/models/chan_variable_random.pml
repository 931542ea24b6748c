/* random receives through a variable that can hold channels of two types */
chan one = [2] of { byte };
chan two = [2] of { byte, bit };
byte a; bit b;
active proctype P()
{
  chan c = one;
  one!1; one!2; two!1,1; two!2,0;
  if :: c = one; c??2 :: c = two; c??2,b fi;
  if :: c == one -> c?<a> :: else -> c?eval(1),b fi
}
