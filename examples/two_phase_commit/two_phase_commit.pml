/* Two-phase commit: all databases commit a transaction, or all abort it. */

#ifndef DATABASES
#define DATABASES 2
#endif

mtype = { prepare, yes, no, commit, abort };

chan order[DATABASES] = [2] of { mtype };
chan vote = [DATABASES] of { mtype };

byte committed, aborted;

/* Either has happened to a database. */
inline finish(counter) {
  atomic { counter++; assert(committed == 0 || aborted == 0) }
}

active [DATABASES] proctype database() {
  order[_pid]?prepare;
  if
  :: vote!no; finish(aborted); goto done
  :: vote!yes
  fi;

  if
  :: order[_pid]?commit -> finish(committed)
  :: order[_pid]?abort -> finish(aborted)
#ifndef MENDED
  :: timeout -> finish(aborted)   /* the coordinator seems to be gone */
#endif
  fi;
done:
  skip
}

active proctype coordinator() {
  byte n;
  mtype answer;
  bool all = true;

  for (n : 0 .. DATABASES - 1) {
    order[n]!prepare
  }
  for (n : 0 .. DATABASES - 1) {
    vote?answer;
    all = all && answer == yes
  }
  for (n : 0 .. DATABASES - 1) {
#ifndef NO_CRASH
    if
    :: goto crashed
    :: true
    fi;
#endif
    if
    :: all -> order[n]!commit
    :: else -> order[n]!abort
    fi
  }
#ifndef NO_CRASH
crashed:
  skip
#endif
}
