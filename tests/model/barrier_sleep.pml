/* Who sleeps at a barrier by processor: src/omp/sync/barrier.cpp, one step for each sequentially
 * consistent operation, or for each section under a list's lock. Members come to each barrier on
 * any processor. Some wait in place for a while, and then they look for others; some sleep at once.
 *
 * Property: all pass all barriers: nobody sleeps for ever.
 *
 * RIGHT: MEMBERS=3
 *
 * Who waited in place does not wake the others when it passes:
 * FAULT: MEMBERS=3 PASSES_ALONE
 * ... or wakes them only if it saw in place that the barrier was open:
 * FAULT: MEMBERS=3 LOOKS_IN_PLACE
 * Who goes to sleep looks at the generation before it counts itself:
 * FAULT: MEMBERS=3 COUNTS_LATE
 * Who finds others of the barrier before in the list goes to sleep among them:
 * FAULT: MEMBERS=3 SLEEPS_AMONG_OTHERS
 * Who waits in place for the next barrier counts as one that passes this one:
 * FAULT: MEMBERS=3 OF_ANY_BARRIER
 * Who opens the barrier looks at the lists before it does so:
 * FAULT: MEMBERS=3 LOOKS_FIRST
 */
#define lists 2
#define BARRIERS 2

byte generation, arrived;
byte count[lists], awaited[lists]; /* `awaited`: the generation that the list waits for */
byte in_place[lists * 2];          /* by list and generation */
bool held[lists];
bool asleep[MEMBERS * lists]; /* by list and member */

#ifdef OF_ANY_BARRIER
#define kept_at(list, generation) in_place[list * 2]
#else
#define kept_at(list, generation) in_place[list * 2 + (generation & 1)]
#endif
#define at(list, member) asleep[list * MEMBERS + member]

/* Under the lock: all that sleep there. */
inline take_all(list) {
  d_step {
    count[list] = 0;
    other = 0;
    do
    :: other < MEMBERS -> at(list, other) = false; other++
    :: else -> break
    od;
    other = 0
  }
}

inline wake(list, opened) {
  if
  :: count[list] == 0
  :: count[list] != 0 ->
     atomic { !held[list] -> held[list] = true };
     if
     :: awaited[list] == opened -> take_all(list)
     :: else
     fi;
     held[list] = false
  fi
}

inline wake_sleepers(opened) {
  i = 0;
  do
  :: i < lists ->
     if
     :: kept_at(i, opened) == 0 -> wake(i, opened)
     :: kept_at(i, opened) != 0
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

#define passed (generation != mine)

inline wait_in_place() {
  kept_at(here, mine)++;
  if
  :: true -> passed; saw = true /* waits for as long as it takes */
  :: true -> saw = false        /* or has something better to do */
  fi;
  kept_at(here, mine)--;
#ifdef LOOKS_IN_PLACE
  if
  :: saw -> wake(here, mine)
  :: else
  fi
#else
#ifndef PASSES_ALONE
  if
  :: passed -> wake(here, mine)
  :: !passed
  fi
#endif
#endif
}

inline sleep() {
  atomic { !held[here] -> held[here] = true };
  if
#ifndef SLEEPS_AMONG_OTHERS
  :: awaited[here] != mine && count[here] != 0 -> take_all(here); held[here] = false
  :: awaited[here] == mine || count[here] == 0 ->
#else
  :: true ->
#endif
     awaited[here] = mine;
#ifdef COUNTS_LATE
     saw = passed;
     count[here]++;
#else
     count[here]++;
     saw = passed;
#endif
     if
     :: saw -> count[here]--; held[here] = false
     :: else ->
        d_step { at(here, me) = true; held[here] = false }
        !at(here, me)
     fi
  fi
}

proctype Member(byte me) {
  byte mine, here, i, other;
  bool saw, completes;
  do
  :: mine < BARRIERS ->
     if
     :: here = 0
     :: here = 1
     fi;
     atomic { arrived++; completes = arrived == MEMBERS * (mine + 1) };
     if
     :: completes ->
#ifdef LOOKS_FIRST
        wake_sleepers(mine);
        generation++
#else
        generation++;
        wake_sleepers(mine)
#endif
     :: else ->
        do
        :: passed -> break
        :: !passed ->
           if
           :: wait_in_place();
              if
              :: passed -> break
              :: !passed -> sleep()
              fi
           :: sleep()
           fi
        od
     fi;
     mine++
  :: else -> break
  od
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
