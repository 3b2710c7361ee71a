/* A set of levels: src/sched/queue/level_bits.cpp, one step for each sequentially consistent
 * operation. Three members of one node, one word for the node and one above it; a member's own word
 * is written under a lock or by its owner alone, so one process works on each.
 *
 * Property: who looks for a member after its set() has returned finds it, or a clear() that was
 * under way tells its caller afterwards that it hid somebody. When nothing moves any more, all
 * members can be found.
 *
 * RIGHT: COMERS=1
 * RIGHT: COMERS=2
 *
 * set() stops at a word that is not empty:
 * FAULT: COMERS=2 STOP_EARLY
 * clear() does not look again after it took the bit away above:
 * FAULT: COMERS=1 NO_SECOND_LOOK
 * clear() does not tell:
 * FAULT: COMERS=1 NOT_TOLD
 */
#define members 3

bool own[members]; /* the member's own word */
byte node;         /* the node's word: a bit for each member */
bool above;        /* the word above: the node's bit */

bool returned[members]; /* set() has */
bool missed, told;

inline set_above() {
  if
  :: above
  :: !above -> above = true
  fi
}

inline set(member) {
  own[member] = true;
#ifdef STOP_EARLY
  atomic { before = node; node = node | (1 << member) };
  if
  :: before != 0
  :: before == 0 -> set_above()
  fi;
#else
  if
  :: (node >> member) & 1
  :: !((node >> member) & 1) -> node = node | (1 << member)
  fi;
  set_above();
#endif
  returned[member] = true
}

/* Each word that turns empty takes its bit away above, and looks again. */
inline clear(member) {
  returned[member] = false;
  own[member] = false;
  atomic { before = node; node = node & ~(1 << member) };
  if
  :: before != (1 << member)
  :: before == (1 << member) ->
     if
     :: node != 0
     :: node == 0 ->
        above = false;
#ifndef NO_SECOND_LOOK
        if
        :: node == 0
        :: node != 0 ->
           set_above();
#ifndef NOT_TOLD
           told = true
#endif
        fi
#endif
     fi
  fi
}

proctype Comes(byte member) {
  byte before;
  set(member)
}

/* A member that was there goes, and may come again. */
proctype Goes(byte member) {
  byte before;
  clear(member);
  if
  :: true
  :: true -> set(member)
  fi
}

/* For a member that does not go. What clear() told before the look that missed does not count. */
proctype Looks(byte member) {
  bool due;
  due = returned[member];
  if
  :: atomic { !above -> if :: due -> missed = true; told = false :: !due fi }
  :: above ->
     if
     :: atomic { !((node >> member) & 1) -> if :: due -> missed = true; told = false :: !due fi }
     :: (node >> member) & 1
     fi
  fi
}

#define can_be_found(member) (!own[member] || (above && ((node >> member) & 1)))

proctype Judge() {
  byte member;
end_judge:
  timeout;
  d_step {
    assert(!missed || told);
    do
    :: member < members -> assert(can_be_found(member)); member++
    :: else -> break
    od
  }
}

init {
  atomic {
    own[0] = true; returned[0] = true; node = 1; above = true;
    run Goes(0);
    run Comes(1);
#if COMERS > 1
    run Comes(2);
#endif
    run Looks(1);
    run Judge()
  }
}
