/* the one who has promised to be alone does nothing: another may send */
chan q = [1] of { byte };
active proctype S() { xs q; skip }
active proctype T() { q!2 }
active proctype R() { byte v; q?v; assert(v == 2) }
