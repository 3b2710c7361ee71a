/* Who sleeps until an ordered loop's turn comes: src/omp/loops/turn.cpp and progress.cpp, one step
 * for each sequentially consistent operation, or for each section under a row's lock. Members run
 * one chunk each, in order. All stand in one row, which whoever sleeps first makes.
 *
 * Property: each chunk gets the turn: nobody sleeps for ever.
 *
 * RIGHT: MEMBERS=3
 *
 * Who sleeps looks at the turn before there are rows:
 * FAULT: MEMBERS=3 LOOKS_BEFORE_ROWS
 * ... or before it counts itself:
 * FAULT: MEMBERS=3 COUNTS_LATE
 * Who hands the turn on looks for rows before it does so:
 * FAULT: MEMBERS=3 LOOKS_FIRST
 * Who made rows that another one had made before sleeps in its own:
 * FAULT: MEMBERS=3 KEEPS_ITS_OWN
 */
byte turn;
byte rows; /* which are published; 0: none */
byte made; /* sets of rows so far */
byte count[MEMBERS + 1];
bool held[MEMBERS + 1];
byte sleeps_in[MEMBERS]; /* by member; 0: it does not sleep */

/* As who wakes it: whom the turn satisfies, in these rows. */
inline wake_satisfied() {
  if
  :: count[seen] == 0
  :: count[seen] != 0 ->
     atomic { !held[seen] -> held[seen] = true };
     d_step {
       other = 0;
       do
       :: other < MEMBERS ->
          if
          :: sleeps_in[other] == seen && other <= me + 1 -> sleeps_in[other] = 0; count[seen]--
          :: else
          fi;
          other++
       :: else -> break
       od;
       other = 0;
       held[seen] = false
     }
  fi
}

inline hand_on() {
#ifdef LOOKS_FIRST
  seen = rows;
  turn = me + 1;
#else
  turn = me + 1;
  seen = rows;
#endif
  if
  :: seen == 0
  :: seen != 0 -> wake_satisfied()
  fi
}

/* The rows to sleep in: those that are there, or its own if it is the first to publish any. */
inline find_rows() {
  mine = rows;
  if
  :: mine == 0 ->
     atomic {
       made++;
       mine = made;
       if
       :: rows == 0 -> rows = mine
#ifdef KEEPS_ITS_OWN
       :: rows != 0
#else
       :: rows != 0 -> mine = rows
#endif
       fi
     }
  :: mine != 0
  fi
}

inline sleep() {
#ifdef LOOKS_BEFORE_ROWS
  saw = turn >= me;
#endif
  find_rows();
  atomic { !held[mine] -> held[mine] = true };
#ifdef COUNTS_LATE
  saw = turn >= me;
#endif
  count[mine]++;
#if !defined(LOOKS_BEFORE_ROWS) && !defined(COUNTS_LATE)
  saw = turn >= me;
#endif
  if
  :: saw -> count[mine]--; held[mine] = false
  :: else ->
     d_step { sleeps_in[me] = mine; held[mine] = false }
     sleeps_in[me] == 0
  fi
}

proctype Member(byte me) {
  byte mine, seen, other;
  bool saw;
  do
  :: turn >= me -> break
  :: turn < me -> sleep()
  od;
  hand_on()
}

init {
  byte member;
  atomic {
    do
    :: member < MEMBERS -> run Member(member); member++
    :: else -> break
    od
  }
}
