/* Sleep and wake of workers: src/sched/worker/parking.cpp, one step for each sequentially
 * consistent operation on what is shared. The C++ memory model puts these into one order, so all
 * interleavings of the steps are all executions. Weaker operations of parking.cpp are hints and not
 * here, but for the count that falls: who takes an entity lowers the count under the queue's lock,
 * and who reads the count before looks once more than need be.
 *
 * Slot 0 is an external thread's, who runs only what belongs to the guest's own region. Kinds of entities:
 *   own      of the guest's region: all may run it
 *   foreign  of another region: the guest may not
 *   pinned   a guest's fiber that goes home: only the guest may
 * One queue stands for all: where an entity stands is the search's matter.
 *
 * Property: when nothing moves any more, nobody sleeps who may run what stands in the queue. With
 * LONG, what runs never ends; then the property says that each entity gets a worker while one is
 * parked.
 *
 * A slot begins without a worker and counts as asleep: the first waker starts one.
 *
 * RIGHT: WORKERS=1 OWN=1 FOREIGN=1 PINNED=1
 * RIGHT: WORKERS=2 OWN=0 FOREIGN=2 PINNED=0
 * RIGHT: WORKERS=2 OWN=3 FOREIGN=0 PINNED=0 LONG
 *
 * The counts are read before the seat parks, as a relaxed read may be; or not at all:
 * FAULT: WORKERS=2 OWN=0 FOREIGN=2 PINNED=0 LOOK_EARLY
 * FAULT: WORKERS=2 OWN=0 FOREIGN=2 PINNED=0 NO_LAST_LOOK
 * The seat parks before asleep is raised:
 * FAULT: WORKERS=1 OWN=1 FOREIGN=1 PINNED=1 ASLEEP_LATE
 * The worker counts as a searcher until the worker has looked:
 * FAULT: WORKERS=2 OWN=3 FOREIGN=0 PINNED=0 LONG SEARCHING_LATE
 * The last searcher that finds something wakes nobody:
 * FAULT: WORKERS=2 OWN=2 FOREIGN=0 PINNED=0 LONG LAST_WAKES_NOBODY
 * The waker gives no token:
 * FAULT: WORKERS=1 OWN=1 FOREIGN=0 PINNED=0 NO_TOKEN
 */
/* WORKERS: beside the guest. OWN, FOREIGN, PINNED: how many are pushed, each by a process. */
#define SEATS (WORKERS + 1)

#define own 0
#define foreign 1
#define pinned 2
#define may_run(seat, kind) ((seat) == 0 -> (kind) != foreign : (kind) != pinned)

mtype = { awake, searches, parked };

byte count[3];       /* RunQueue::count(), by kind */
mtype state[SEATS];  /* Slot::state */
bool token[SEATS];   /* Worker::wake_word */
byte searching;      /* Pool::searching_ */
bool guest_searches; /* Pool::searching_external_ */
short asleep;        /* Pool::asleep_ */
bool sleeps[SEATS];  /* in the futex; for the property alone */

/* Pool::wake_slot(). `anybody`: the root is null. The look at the state and the exchange are one
 * step: who loses the exchange might have come later. */
inline wake_slot(seat, kind, anybody) {
  atomic {
    if
    :: state[seat] == parked && ((anybody) || (seat) != 0 || kind != foreign) ->
       state[seat] = awake;
       woken = true
    :: else -> woken = false
    fi
  }
  if
  :: woken ->
     asleep--;
#ifndef NO_TOKEN
     token[seat] = true
#endif
  :: !woken
  fi
}

inline wake_any(near, kind, anybody) {
  do
  :: d_step { step < SEATS && !woken -> step++ };
     wake_slot((near + step) % SEATS, kind, anybody)
  :: d_step { step == SEATS || woken -> step = 0 }; break
  od
}

/* Pool::wake_for(), after RunQueue::push_*(). */
proctype Pusher(byte kind; byte near) {
  byte step;
  bool woken;
  count[kind]++;
  if
  :: kind == pinned -> wake_slot(0, kind, false)
  :: kind != pinned && asleep == 0
  :: kind != pinned && asleep != 0 ->
     wake_slot(near, kind, false);
     if
     :: woken || searching > 0
     :: !woken && searching == 0 ->
        if
        :: kind == own && guest_searches
        :: kind != own || !guest_searches -> wake_any(near, kind, false)
        fi
     fi
  fi
}

/* Pool::find(): at each kind a look at the count and, if it is not 0, the taking under the lock. */
inline look(seat, kind) {
  atomic {
    if
    :: may_run(seat, kind) && !found && count[kind] > 0 -> count[kind]--; found = true
    :: else
    fi
  }
}
inline find(seat) {
  found = false;
  look(seat, own);
  if
  :: seat == 0 -> look(seat, pinned)
  :: seat != 0 -> look(seat, foreign)
  fi
}

inline begin_search(seat) {
  if
  :: seat == 0 -> guest_searches = true
  :: seat != 0 -> searching++
  fi
}

inline leave_search(seat) {
  if
  :: seat == 0 -> guest_searches = false; last = (searching == 0)
  :: seat != 0 -> atomic { searching--; last = (searching == 0) };
     if
     :: last -> last = !guest_searches
     :: !last
     fi
  fi
}

#define anything (count[own] + count[foreign] + count[pinned] > 0)

/* Only the seat's worker reads and clears the token once it is set. */
inline take_token(seat) { atomic { token[seat] -> token[seat] = false } }

proctype Worker(byte seat) {
  byte step;
  bool found, last, woken;
  do
  :: sleeps[seat] = true;
end_asleep:
     atomic { token[seat] -> token[seat] = false; sleeps[seat] = false };
     do /* Pool::idle() */
     :: state[seat] = searches;
        begin_search(seat);
        find(seat);
        if
        :: found -> /* Pool::end_search() */
           state[seat] = awake;
           leave_search(seat);
#ifndef LAST_WAKES_NOBODY
           if
           :: last && anything -> wake_any(seat, own, true)
           :: else
           fi;
#endif
        :: !found -> /* Pool::stays_awake() */
#ifdef LOOK_EARLY
           find(seat);
#endif
#ifndef ASLEEP_LATE
           asleep++;
#endif
           state[seat] = parked;
#ifdef ASLEEP_LATE
           asleep++;
#endif
#ifndef SEARCHING_LATE
           leave_search(seat);
#endif
#if !defined(LOOK_EARLY) && !defined(NO_LAST_LOOK)
           find(seat);
#endif
#ifdef SEARCHING_LATE
           leave_search(seat);
#endif
           if
           :: !found -> break
           :: found ->
              atomic {
                if
                :: state[seat] == parked -> state[seat] = awake; woken = false
                :: else -> woken = true
                fi
              }
              if
              :: !woken -> asleep--
              :: woken ->
                 take_token(seat);
                 if
                 :: anything -> wake_any(seat, own, true)
                 :: else
                 fi
              fi
           fi
        fi;
        /* It runs what it found. */
#ifdef LONG
end_busy:
        false
#endif
     od
  od
}

#define lost_to(seat) (sleeps[seat] && !token[seat] && \
  ((may_run(seat, own) && count[own] > 0) || (may_run(seat, foreign) && count[foreign] > 0) || \
   (may_run(seat, pinned) && count[pinned] > 0)))

/* Comes when nobody else can move. */
proctype Judge() {
  byte seat;
end_judge:
  timeout;
  d_step {
    do
    :: seat < SEATS -> assert(!lost_to(seat)); seat++
    :: else -> break
    od
  }
}

init {
  byte i;
  atomic {
    for (i : 0 .. SEATS - 1) { state[i] = parked; asleep++; run Worker(i) }
    i = 0;
    do :: i < OWN -> run Pusher(own, 1); i++ :: else -> break od;
    i = 0;
    do :: i < FOREIGN -> run Pusher(foreign, 1); i++ :: else -> break od;
    i = 0;
    do :: i < PINNED -> run Pusher(pinned, 0); i++ :: else -> break od;
    run Judge()
  }
}
