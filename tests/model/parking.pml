/* Sleep and wake of workers: src/sched/worker/parking.cpp, one step for each sequentially consistent
 * operation on what is shared, and for what is done under a queue's lock. The C++ memory model puts
 * these into one order, so all interleavings of the steps are all executions. Weaker operations of
 * parking.cpp are hints and not here. The sets stealable_ and idle_ are arrays: level_bits.pml has
 * how they are kept.
 *
 * Each slot has a queue. Slot 0 is an external thread's, who runs only what belongs to its own
 * region. Kinds of entities:
 *   own      of the external thread's region: all may run it
 *   foreign  of another region: the external thread may not
 *   pinned   an external thread's fiber that goes home: only the external thread may, from its queue
 *
 * Property: when nothing moves any more, nothing is lost, and nobody sleeps who may run what stands
 * in a queue. With LONG, what runs never ends; then the property says that each entity gets a worker
 * while one is parked.
 *
 * A slot begins without a worker and counts as parked: the first waker starts one.
 *
 * RIGHT: WORKERS=1 OWN=1 FOREIGN=0 PINNED=1
 * RIGHT: WORKERS=1 OWN=1 FOREIGN=1 PINNED=0
 * RIGHT: WORKERS=1 OWN=0 FOREIGN=2 PINNED=0
 * RIGHT: WORKERS=1 OWN=2 FOREIGN=1 PINNED=0 LONG
 * RIGHT: WORKERS=2 OWN=1 FOREIGN=1 PINNED=0 LONG
 * RIGHT: WORKERS=2 OWN=3 FOREIGN=0 PINNED=0 LONG
 *
 * The worker looks before it parks, or not at all:
 * FAULT: WORKERS=1 OWN=0 FOREIGN=2 PINNED=0 LOOK_EARLY
 * FAULT: WORKERS=1 OWN=0 FOREIGN=2 PINNED=0 NO_LAST_LOOK
 * The waker takes the PU out of idle_ after it gave the token:
 * FAULT: WORKERS=1 OWN=1 FOREIGN=1 PINNED=0 TOKEN_EARLY
 * The worker counts as a searcher until it has looked for the last time:
 * FAULT: WORKERS=2 OWN=3 FOREIGN=0 PINNED=0 LONG SEARCHING_LATE
 * A worker that was relied on, and finds something, wakes nobody for the rest:
 * FAULT: WORKERS=2 OWN=3 FOREIGN=0 PINNED=0 LONG HANDS_NOTHING_ON
 * A new worker runs what it finds before its queue knows that the owner does not sleep:
 * FAULT: WORKERS=2 OWN=2 FOREIGN=0 PINNED=0 LONG NEW_RUNS_AT_ONCE
 * A thief hides what waits in the external thread's queue while that thread looks:
 * FAULT: WORKERS=1 OWN=1 FOREIGN=1 PINNED=1 EXTERNAL_TAKES_ALL
 * What was handed over is dropped by an owner that goes or parks, or comes when it has gone:
 * FAULT: WORKERS=1 OWN=0 FOREIGN=2 PINNED=0 HAND_DROPPED
 * FAULT: WORKERS=1 OWN=0 FOREIGN=2 PINNED=0 HAND_LEFT_OPEN
 * The waker gives no token:
 * FAULT: WORKERS=1 OWN=1 FOREIGN=0 PINNED=0 NO_TOKEN
 */
/* WORKERS: beside the external thread. OWN, FOREIGN, PINNED: how many are pushed, each by a process
 * and to a queue of its choice. */
#define SLOTS (WORKERS + 1)

#define own 0
#define foreign 1
#define pinned 2
#define anybody 3 /* the kind for which a waker asks who does not know */
#define may_run(slot, kind) ((slot) == 0 -> (kind) != foreign : (kind) != pinned)

mtype = { awake, searches, parked, away, looking, woken };

typedef Queue { byte count[3] } /* RunQueue::count(), by kind */
Queue queue[SLOTS];
byte hand[SLOTS];         /* RunQueue::hand_: closed, open, or holds + kind */
#define closed 0
#define open 1
#define holds 2
mtype owner[SLOTS];       /* RunQueue::owner_ */
bool stealable[SLOTS];    /* Pool::stealable_, RunQueue::published_ */
mtype state[SLOTS];       /* Slot::state */
bool idle[SLOTS];         /* Pool::idle_ */
bool token[SLOTS];        /* Worker::wake_word */
byte searching;           /* Pool::searching_ */
bool external_searches;   /* Pool::searching_external_ */
bool sleeps[SLOTS];       /* in the futex; for the property alone */
byte outstanding;         /* pushed and not taken; likewise */

#ifdef EXTERNAL_TAKES_ALL
#define owner_takes_all(q) (owner[q] == looking)
#else
#define owner_takes_all(q) (owner[q] == looking && (q) != 0)
#endif
#define waits_free(q) (queue[q].count[own] + queue[q].count[foreign] > 0)
#define waits(q) (waits_free(q) || queue[q].count[pinned] > 0)

/* Pool::wake_slot(). The look at the state and the exchange are one step: who loses the exchange
 * might have come later. */
inline wake_slot(slot, kind) {
  atomic {
    if
    :: state[slot] == parked && !((slot) == 0 && kind == foreign) ->
       state[slot] = awake;
       woke = true
    :: else -> woke = false
    fi
  }
  if
  :: woke ->
#ifdef TOKEN_EARLY
     token[slot] = true;
#endif
     idle[slot] = false;
#if !defined(TOKEN_EARLY) && !defined(NO_TOKEN)
     token[slot] = true
#endif
  :: !woke
  fi
}

/* Pool::wake_any(). For anybody the external thread is the last choice. */
inline wake_any(near, kind) {
  atomic { step = 0; woke = false };
  do
  :: atomic { step < SLOTS && !woke -> slot = (near + step) % SLOTS; step++ };
     if
     :: idle[slot] && !(slot == 0 && kind == anybody) -> wake_slot(slot, kind)
     :: else
     fi
  :: atomic { step == SLOTS || woke -> break }
  od;
  if
  :: !woke && kind == anybody -> wake_slot(0, kind)
  :: else
  fi;
  atomic { step = 0; slot = 0; woke = false }
}

/* RunQueue::push_*(), and Pool::wake_for(). */
proctype Pusher(byte kind) {
  byte q, step, slot;
  bool woke, for_owner, wakes_owner, wakes_any;
  if
  :: kind == pinned
  :: kind != pinned -> select(q : 0 .. WORKERS)
  fi;
  atomic { /* RunQueue::hand_over() */
    if
    :: hand[q] == open && q != 0 -> hand[q] = holds + kind; outstanding++; goto done
    :: else
    fi
  }
  atomic {
    queue[q].count[kind]++;
    outstanding++;
    for_owner = may_run(q, kind);
    if
    :: for_owner && owner[q] == looking
    :: else ->
       if
       :: kind != pinned -> stealable[q] = true
       :: else
       fi;
       if
       :: for_owner && owner[q] == parked -> owner[q] = woken; wakes_owner = true
       :: else -> wakes_any = (kind != pinned && !(for_owner && owner[q] == woken))
       fi
    fi
  }
  if
  :: wakes_owner -> wake_slot(q, kind)
  :: wakes_any ->
     if
     :: searching > 0
     :: searching == 0 ->
        if
        :: kind == own && external_searches
        :: kind != own || !external_searches -> wake_any(q, kind)
        fi
     fi
  :: else
  fi;
done:
  skip
}

/* RunQueue::take() and steal(), under the lock. */
inline take(slot, kind, q) {
  if
  :: !found && may_run(slot, kind) && (kind != pinned || slot == q) && queue[q].count[kind] > 0 ->
     queue[q].count[kind]--; outstanding--; found = true
  :: else
  fi
}
inline take_from(slot, q) {
  take(slot, own, q); take(slot, foreign, q); take(slot, pinned, q)
}

/* Search::find() and RunQueue::retract(). */
inline find(slot) {
  atomic {
    found = false; step = 1;
    if
    :: hand[slot] >= holds -> hand[slot] = closed; outstanding--; found = true
    :: else -> take_from(slot, slot)
    fi
  }
  do
  :: atomic {
       step < SLOTS && !found;
       victim = (slot + step) % SLOTS; step++;
       there = stealable[victim]
     };
     if
     :: there ->
        atomic { there = false; take_from(slot, victim) }
        atomic {
          if
          :: !found && !(waits(victim) && !owner_takes_all(victim)) -> stealable[victim] = false
          :: else
          fi
        }
     :: else
     fi
  :: atomic { step == SLOTS || found -> break }
  od;
  atomic { step = 0; victim = 0 }
}

inline begin_search(slot) {
  announced = true;
  if
  :: slot == 0 -> external_searches = true
  :: slot != 0 -> searching++
  fi
}

inline leave_search(slot) {
  if
  :: !announced
  :: announced && slot == 0 -> external_searches = false
  :: announced && slot != 0 -> searching--
  fi
}

/* Search::anything_to_steal(): one look at each. */
inline look_for_any(slot) {
  atomic { step = 0; there = false };
  do
  :: atomic { step < SLOTS && !there -> there = (step != slot && stealable[step]); step++ }
  :: atomic { step == SLOTS || there -> step = 0; break }
  od
}

/* RunQueue::close_hand(). */
inline close_hand(slot) {
  atomic {
    if
    :: hand[slot] >= holds -> left = hand[slot] - holds + 1
    :: else
    fi;
#ifdef HAND_DROPPED
    left = 0;
#endif
    hand[slot] = closed
  }
}
inline put_back(slot) {
  if
  :: left > 0 -> queue[slot].count[left - 1]++; left = 0
  :: else
  fi
}

/* RunQueue::owner_goes(). */
inline owner_goes(slot) {
#ifndef HAND_LEFT_OPEN
  close_hand(slot);
#endif
  atomic {
    put_back(slot);
    owner[slot] = away;
    there = waits_free(slot);
    if
    :: there -> stealable[slot] = true
    :: else
    fi
  }
}

inline hand_on(slot, relied_on) {
  owner_goes(slot);
#ifndef HANDS_NOTHING_ON
  if
  :: !there && (relied_on) && searching == 0 -> look_for_any(slot)
  :: else
  fi;
#endif
  if
  :: there && searching == 0 -> wake_any(slot, anybody)
  :: else
  fi;
  there = false
}

/* Only the slot's worker reads and clears the token once it is set. */
inline take_token(slot) { atomic { token[slot] -> token[slot] = false; was_woken = true } }

proctype Worker(byte me) {
  byte step, slot, victim, left;
  bool found, woke, there, announced, was_woken, was_faster;
  sleeps[me] = true;
end_new:
  atomic { token[me] -> token[me] = false; sleeps[me] = false; was_woken = true };
#ifdef NEW_RUNS_AT_ONCE
  find(me);
  if
  :: found -> false
  :: else
  fi;
#endif
  do /* Pool::idle() */
  :: owner[me] = looking;
     atomic {
       if
       :: me != 0 -> hand[me] = open
       :: else
       fi
     }
     state[me] = searches;
     announced = false;
     find(me);
     if
     :: !found -> begin_search(me); find(me)
     :: true
     fi;
     if
     :: found -> /* Pool::end_search() */
        state[me] = awake;
        leave_search(me);
        hand_on(me, announced || was_woken);
        was_woken = false;
#ifdef LONG
end_busy_after_search:
        false
#endif
     :: !found -> /* Pool::stays_awake() */
#ifdef LOOK_EARLY
        find(me);
#endif
        idle[me] = true;
        state[me] = parked;
#ifndef HAND_LEFT_OPEN
        close_hand(me);
#endif
        atomic { put_back(me); owner[me] = parked };
#ifndef SEARCHING_LATE
        leave_search(me);
#endif
#if !defined(LOOK_EARLY) && !defined(NO_LAST_LOOK)
        find(me);
#endif
#ifdef SEARCHING_LATE
        leave_search(me);
#endif
        if
        :: !found ->
           sleeps[me] = true;
end_asleep:
           atomic { token[me] -> token[me] = false; sleeps[me] = false; was_woken = true }
        :: found ->
           atomic {
             if
             :: state[me] == parked -> state[me] = awake; was_faster = false
             :: else -> was_faster = true
             fi
           }
           if
           :: !was_faster -> idle[me] = false
           :: was_faster -> take_token(me)
           fi;
           hand_on(me, announced || was_woken);
           was_woken = false;
#ifdef LONG
end_busy:
           false
#endif
        fi
     fi
  od
}

#define all_in(q) (queue[q].count[own] + queue[q].count[foreign] + queue[q].count[pinned] + \
  (hand[q] >= holds))
#define lost_to(slot, q) (sleeps[slot] && !token[slot] && \
  (hand[q] >= holds || (may_run(slot, own) && queue[q].count[own] > 0) || \
   (may_run(slot, foreign) && queue[q].count[foreign] > 0) || \
   (may_run(slot, pinned) && slot == q && queue[q].count[pinned] > 0)))

/* Comes when nobody else can move. */
proctype Judge() {
  byte slot, q;
end_judge:
  timeout;
  d_step {
    do
    :: slot < SLOTS ->
       q = 0;
       do
       :: q < SLOTS ->
          assert(!lost_to(slot, q));
          if
          :: slot == 0 -> outstanding = outstanding - all_in(q)
          :: else
          fi;
          q++
       :: else -> break
       od;
       slot++
    :: else -> break
    od;
    assert(outstanding == 0)
  }
}

init {
  byte i;
  atomic {
    for (i : 0 .. SLOTS - 1) {
      state[i] = parked; idle[i] = true; owner[i] = parked; run Worker(i)
    }
    i = 0;
    do :: i < OWN -> run Pusher(own); i++ :: else -> break od;
    i = 0;
    do :: i < FOREIGN -> run Pusher(foreign); i++ :: else -> break od;
    i = 0;
    do :: i < PINNED -> run Pusher(pinned); i++ :: else -> break od;
    run Judge()
  }
}
