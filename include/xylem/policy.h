/* A scheduling policy written outside the library: where threads go, decided by a shared object of
 * yours (paper 002, section 2.3, on policies as plug-ins).
 *
 * Owns: what a policy sees (xylem_view), what it answers (through xylem_plan), and what its object
 * exports (xylem_policy_object). The object is built against this header alone and links nothing of
 * Xylem; all that it calls comes as arguments. `xylem run --policy ./mine.so` uses it;
 * docs/writing-a-policy.md walks through one.
 *
 * Rules. A policy is a pure function: its answer depends on its arguments alone, on no clock,
 * environment, static variable or address, and the same view and random numbers give the same
 * answer. It may be asked by several threads at once, on stacks of OpenMP threads (so no large
 * arrays on the stack), and while locks of the runtime are held: it calls neither OpenMP nor
 * anything that may wait; malloc() and free() are fine. Everything it is given belongs to the
 * caller, is read only, and is gone when it returns.
 *
 * Units: levels and entities are indices in the view's arrays, PUs logical numbers from 0 in the
 * order of the machine's tree, loads in the program's unit, memory in bytes.
 *
 * Errors: an answer that loses an entity, moves one twice or to where it may not run, or that does
 * not come, ends the program with the policy's name and what it broke. */
#ifndef XYLEM_POLICY_H
#define XYLEM_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of everything here. Objects built for versions 2 and 3 run as they did, and see what
 * these have: version 2 has no hooks. Objects of other versions are refused. */
#define XYLEM_POLICY_VERSION 4

/* A level of the machine's tree; level 0 is the machine. Breadth-first: the children of a level are
 * contiguous and come after it, and the PUs below it are contiguous. Levels that hold the same PUs
 * are one: its kind is, of those that are there, the first of machine, PU, node, package, core,
 * group, cache; view->nodes, where the view has it, names those of memory nodes. A level has a run
 * queue: what is attached there may run on any PU below (paper 002, section 2.2.3). */
enum {
  XYLEM_LEVEL_MACHINE = 0,
  XYLEM_LEVEL_PACKAGE = 1,
  XYLEM_LEVEL_NODE = 2, /* of memory */
  XYLEM_LEVEL_CACHE = 3,
  XYLEM_LEVEL_CORE = 4,
  XYLEM_LEVEL_PU = 5,
  XYLEM_LEVEL_GROUP = 6 /* of what hwloc has no other name for */
};

typedef struct {
  int kind;        /* XYLEM_LEVEL_MACHINE ... */
  int cache_depth; /* of a cache: 1, 2, 3 ...; else 0 */
  int parent;      /* level; -1 for the machine */
  int first_child; /* children are levels first_child .. first_child + child_count - 1 */
  int child_count; /* 0 for a PU, and only for a PU */
  int first_pu;    /* PUs first_pu .. first_pu + pu_count - 1 lie below */
  int pu_count;
} xylem_policy_level;

/* In place of a level: suspended, on no queue, until tick() moves it. Tops only. */
#define XYLEM_HELD_BACK (-2)

/* What is placed: a bubble (a team, and all that is in it), or a run of `count` fibers that are all
 * alike, numbered 0 .. count - 1; a lone fiber is a run of 1 (paper 002, section 2.3.1). */
typedef struct {
  int is_bubble;
  int narrowed;    /* bubble: something inside may run on fewer levels than the bubble itself */
  int parent;      /* entity: the bubble that it belongs to; -1 for a top */
  int first_child; /* bubble: holds entities first_child .. first_child + child_count - 1 */
  int child_count;
  int count;   /* run: number of fibers; bubble: 1 */
  int threads; /* fibers inside, at any depth; run: count */
  int allowed; /* level below which alone it may run; the level of a PU pins it there */
  int level;   /* where it is attached: a level (an open bubble: where it opened), -1 in its bubble
                  or not placed yet, or XYLEM_HELD_BACK */
  int held_since; /* rank among those held back: the lower has waited longer */
  int last_pu; /* PU where it (a bubble: its maker, or most of it) ran last; -1 if nobody knows */
  int burst_level; /* the bubble wants to open at a level of this one's kind; -1: nobody said */
  int priority;    /* of entities on one queue the higher goes first */
  int64_t load;    /* of each fiber of a run, or of the whole bubble; nobody said: 1 a fiber */
} xylem_policy_entity;

/* An OpenMP place: its logical PUs, in the order in which the place lists them. */
typedef struct {
  const int* pus;
  int pu_count;
} xylem_policy_place;

/* What is known of an entity whose threads run already (paper 002, section 2.3.1). Of a run all is
 * 0: what is known is its bubble's. */
typedef struct {
  int running;    /* threads that ran when the runtime looked last, every millisecond or two */
  int64_t cpu_ns; /* processor time of all its threads until then, in nanoseconds */
} xylem_policy_use;

enum { XYLEM_BIND_PRIMARY = 0, XYLEM_BIND_CLOSE = 1, XYLEM_BIND_SPREAD = 2 };

/* What a policy sees. Entities are breadth-first: the tops, then what they hold; the entities of a
 * bubble are contiguous and come after it. */
typedef struct {
  const xylem_policy_level* levels;
  int level_count;
  int scope; /* level: what is not pinned elsewhere is to lie on it or below */
  const xylem_policy_entity* entities;
  int entity_count;
  int top_count; /* entities 0 .. top_count - 1 are to be placed, with all that they hold */

  /* Memory (paper 000, section 3.3). nodes[i]: level of memory node i; -1: no PUs. bytes[e *
   * node_count + i]: bytes of entity e on node i; of a bubble, what is not said of the entities
   * inside. bytes is NULL if nobody said. */
  const int* nodes;
  int node_count;
  const int64_t* bytes;

  /* OMP_PLACES and OMP_PROC_BIND. Without places: place_count is 0. */
  const xylem_policy_place* places;
  int place_count;
  int bind;                  /* XYLEM_BIND_PRIMARY ... */
  int first_partition_place; /* partition of the encountering thread */
  int partition_count;       /* 0: all places */
  int parent_place;          /* where that thread runs; -1: the place of the team's last_pu */

  int too_big_percent; /* XYLEM_SPREAD_THRESHOLD, > 0: see docs/policies.md on `spread` */

  /* Since version 3; NULL where nothing runs yet, as in place(). In hooks `bytes` is what bubbles
   * of the program own (xylem/memory.h). */
  const xylem_policy_use* uses; /* by entity */
  const int64_t* idle_ns;       /* by PU: for how long it has had nothing to run; 0: it runs */

  /* Since version 4, by entity, as `uses`: cache misses of all its threads until then, or what
   * XYLEM_MISSES counts in their place; by cpu_ns they are a rate. NULL where nothing is counted.
   */
  const int64_t* misses;
} xylem_view;

/* What a policy answers: moves, in the order in which they are to be carried out. Use the functions
 * below; `add` is theirs. */
typedef struct xylem_plan xylem_plan;
struct xylem_plan {
  void (*add)(xylem_plan* plan, int entity, int first, int count, int level, int burst);
};

/* Puts a lone fiber, or a bubble closed with all that belongs to it, at the end of the queue of
 * `level`. For a run of several fibers use xylem_move_members(). */
static inline void xylem_move(xylem_plan* plan, int entity, int level) {
  plan->add(plan, entity, 0, 1, level, 0);
}
/* Puts members first .. first + count - 1 of a run there. The members of a run may go to several
 * queues, each to one, all of them to some. */
static inline void xylem_move_members(xylem_plan* plan, int run, int first, int count, int level) {
  plan->add(plan, run, first, count, level, 0);
}
/* Opens a bubble at `level`: what it holds follows in moves of its own, or is left on that level's
 * queue where there is none (paper 002, section 2.3.1). */
static inline void xylem_burst(xylem_plan* plan, int bubble, int level) {
  plan->add(plan, bubble, 0, 1, level, 1);
}
/* Suspends a top, whole and closed, until tick() moves it. `count` is that of the entity. */
static inline void xylem_hold(xylem_plan* plan, int top, int count) {
  plan->add(plan, top, 0, count, XYLEM_HELD_BACK, 0);
}

/* The only random numbers that a policy may use: the caller's, equal in every run. */
typedef struct xylem_random xylem_random;
struct xylem_random {
  uint64_t (*next)(xylem_random* random);
};

static inline uint64_t xylem_random_number(xylem_random* random) { return random->next(random); }
/* A number in 0 .. bound - 1; bound > 0. */
static inline int xylem_random_below(xylem_random* random, int bound) {
  return (int)(((random->next(random) >> 32) * (uint64_t)bound) >> 32);
}

/* How idle workers take from others' queues: data, as no policy runs there (paper 002, section
 * 2.4.4). All zero is the rule of our own policies.
 *
 * A queue holds bubbles and fibers. A bubble there is what has not begun of a team: a range of its
 * members, each of which stands for a complete subtree, itself and the teams that it will open. A
 * fiber has begun and is a thread alone. Who is bound to a PU is not taken. */
enum {
  XYLEM_STEAL_NEAREST_FIRST = 0, /* the search widens level by level */
  XYLEM_STEAL_RANDOM = 1,        /* another order at each search */
  XYLEM_STEAL_NONE = 2
};
enum {
  XYLEM_TAKE_TOP_OF_TREE = 0, /* the oldest bubble, which is nearest the root; else a fiber */
  XYLEM_TAKE_MOST_LOADED = 1, /* the bubble with most threads, those of inner teams that are known
                                 from earlier runs of the region included; else a fiber */
  XYLEM_TAKE_THREAD_ALONE = 2 /* a fiber; else one member of the youngest bubble */
};
enum {
  XYLEM_OPEN_HALVES = 0, /* every bubble: half of its members go with the thief */
  XYLEM_OPEN_NEVER = 1,  /* bubbles are taken whole */
  XYLEM_OPEN_ALWAYS = 2, /* every bubble: one member goes with the thief */
  XYLEM_OPEN_LONE = 3    /* one that is alone on its queue: half; others whole (the paper's rule) */
};
typedef struct {
  int order; /* in which other queues are looked at: XYLEM_STEAL_NEAREST_FIRST ... */
  int take;  /* what is taken of a queue: XYLEM_TAKE_TOP_OF_TREE ... */
  int open;  /* which bubbles a thief opens: XYLEM_OPEN_HALVES ... */
  /* What is left of an opened bubble, and what waits in that queue of the bubbles round it. 0:
   * stays there. 1: goes to the queue of the lowest level that holds thief and victim (the paper's
   * rule). */
  int lift_ancestors;
  int own_node_only; /* 1: a worker looks at no queue outside its memory node */
} xylem_policy_steal;

/* What a worker does with a bubble that it meets. All zero: what it would do without the hook. */
#define XYLEM_STAYS (-1)
typedef struct {
  int members;    /* so many of those that wait go to the worker's PU, the last ones; 1 up to all */
  int rest_level; /* level whose queue gets the others; XYLEM_STAYS: they stay where they are */
} xylem_share;

typedef struct {
  int version; /* XYLEM_POLICY_VERSION */
  size_t size; /* sizeof(xylem_policy) */

  const char* name; /* letters, digits, '-', '_' and '.'; none of `xylem run --policy help` */
  const char* help; /* one line: where threads go */

  /* Makes moves for every top of the view. Called when an outermost region opens; of a policy with
   * time slices also when a team that lay idle has something to run again. */
  void (*place)(const xylem_view* view, xylem_random* random, xylem_plan* plan);

  /* At the end of a time slice of `bubble`, an entity of the view that is not held back: moves for
   * a part of the view, none if all is to stay as it is. NULL if the policy has no time slices, and
   * then place() holds nothing back. */
  void (*tick)(const xylem_view* view, int bubble, xylem_random* random, xylem_plan* plan);

  xylem_policy_steal steal;

  int fills_machine; /* 1: place() leaves no PU idle while something it could burst waits elsewhere
                      */
  int repeats;       /* 1: the answer for a team without loads follows from its size, so that it may
                        be kept for the next region; no random numbers then */
  int sees_all;      /* 1: the view is to have all that can run, not only what is new */
  /* 1: place() is asked as well where the program says what data a team's threads use
   * (xylem/memory.h), with view->bytes set; threads then go where the answer says. 0: such hints
   * move pages alone. */
  int follows_hints;

  /* Since version 3: hooks, asked while threads run; NULL: none. The first two are asked by a
   * thread of the runtime's own, so by one at a time. Their view has what waits in queues and may
   * go elsewhere. Each entry of a queue is a top, at the level that its `level` says: of a team a
   * bubble with one run, the members that have not begun; a thread that has begun is a run of 1.
   * Make moves for a part of the view, or none; nothing is held back. Moves of what began meanwhile
   * are left out.
   *
   * idle: the worker of `pu` falls asleep, as it has found nothing to run, and something waits that
   * it does not take; or that comes later, which is seen within a millisecond or two. Asked again
   * after 2 ms, 4 ms, 8 ms, and so on, at last every 64 ms, as long as that is so.
   * wake: `pu`, of which idle was asked or that had nothing to run for 2 ms, runs something. */
  void (*idle)(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan);
  void (*wake)(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan);

  /* A worker of `pu` that looks for something to run meets `bubble` in a queue that is not its PU's
   * own: members of a team that have not begun, two or more (the papers' bubble_schedule; paper
   * 002, section 2.3.1). The view has the bubble alone. Asked by the worker, so by several at once,
   * and before each time that it would take a member of such a bubble: answer soon. */
  xylem_share (*met)(const xylem_view* view, int bubble, int pu, xylem_random* random);
} xylem_policy;

/* The one symbol that the object defines:
 *
 *     const xylem_policy xylem_policy_object = {
 *         .version = XYLEM_POLICY_VERSION, .size = sizeof(xylem_policy), .name = ...};
 */
extern const xylem_policy xylem_policy_object __attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif

#endif
