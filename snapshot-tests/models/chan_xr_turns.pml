/* one after the other: whoever has promised is gone when the next one comes */
chan q = [2] of { byte };
byte n;
proctype R() { xr q; byte v; q?v; n = v }
init { q!1; q!2; run R(); (n == 1 && _nr_pr == 1); run R(); (n == 2) }
