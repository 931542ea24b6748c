/* channels are for Promela: line 3 column 23 */
chan c = [1] of { byte };
active proctype P() { c_expr { (q_len(now.c) == 0) }; c!1; c?_ }
