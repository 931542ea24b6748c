byte x; bool p, q; chan c = [1] of { byte };
ltl safe { [] (x < 3 && (p -> <> q)) }
ltl words { always (p implies eventually (q weakuntil !p)) && (p U q) V X q }
never { accept: do :: np_ :: worker@here -> goto accept :: worker[0]:v == 1 od }
trace { do :: c!1 :: c?1 od }
proctype worker() { byte v; here: v = enabled(0) + pc_value(0); c!1 }
init { run worker(); x = run worker() priority 3; _ = 1; x = _pid + _nr_pr + _last; set_priority(_pid, get_priority(_pid)) }
