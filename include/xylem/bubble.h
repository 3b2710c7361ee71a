/* Bubbles: nested sets of threads, and what the program knows of them (paper 002, section 2.3.1).
 *
 * Owns: the functions by which a program makes bubbles of its own, tells Xylem what it knows of
 * them, and asks what became of them and what machine the runtime sees. Every OpenMP team is a
 * bubble; programs need none of this to run well.
 *
 * Everything here may be called from any thread at any time, inside regions and outside, unless a
 * line says otherwise. A program that must also start without Xylem declares the functions weak (it
 * does so by defining XYLEM_WEAK before it includes this) and tests the address before a call:
 *
 *     #define XYLEM_WEAK
 *     #include <xylem/bubble.h>
 *     ...
 *     if (xylem_set_load) xylem_set_load(zone_points);
 */
#ifndef XYLEM_BUBBLE_H
#define XYLEM_BUBBLE_H

#ifdef XYLEM_WEAK
#define XYLEM_DECLARED __attribute__((weak))
#else
#define XYLEM_DECLARED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Tells the load of the calling OpenMP thread: all the work it is going to do, with the teams that
 * it opens, in any unit, as long as all threads of its team use the same (the papers'
 * marcel_set_load; paper 002, section 2.6.2). Without it a thread counts 1, and one of a team
 * inside another its share of its maker's load. The load is remembered for the thread of this
 * number in the outermost teams that the calling program thread opens, or in the teams that this
 * thread's maker opens there, and so on, up to four teams inside each other; it takes effect when
 * the next outermost one begins. 0 forgets it; a negative load counts as 0. */
void xylem_set_load(long load) XYLEM_DECLARED;

/* Kinds of levels of the machine. */
typedef enum {
  xylem_level_machine = 0,
  xylem_level_package = 1,
  xylem_level_node = 2, /* of memory */
  xylem_level_cache = 3,
  xylem_level_core = 4,
  xylem_level_pu = 5,
  xylem_level_group = 6 /* of what hwloc has no other name for */
} xylem_level_kind;

/* The machine as levels, numbered from 0, the machine itself, breadth-first. Levels that hold the
 * same PUs are one, whose kind is, of those that are there, the first of machine, PU, node,
 * package, core, group, cache; where a kind is asked for it stands for all of them. */
typedef struct {
  xylem_level_kind kind;
  int parent;   /* level; -1 for the machine */
  int first_pu; /* logical number of the first PU below */
  int pu_count; /* PUs below */
  long waiting; /* entities in its run queue now */
} xylem_level;

/* Number of levels. */
int xylem_level_count(void) XYLEM_DECLARED;
/* Fills the first `size` bytes (sizeof *level) of `level` with the level of that number. Returns 0,
 * or EINVAL if there is none of that number or `size` is none of a version of this structure. */
int xylem_level_query(int number, xylem_level* level, unsigned long size) XYLEM_DECLARED;
/* Logical PU on which the calling thread runs now: a hint, it may move at once. */
int xylem_current_pu(void) XYLEM_DECLARED;
/* The size in bytes from which on a message between two logical PUs is better copied past the
 * caches, by non-temporal stores or by a device: the largest cache that both share, or else the
 * smaller of their largest ones, over twice the processes that use it (paper 004, section IV-C).
 * `processes` is that number; 0: as many as the two PUs mean, 2 in a shared cache, 1 in one of
 * their own. 0 if no cache is known or there is no such PU. */
unsigned long xylem_copy_threshold(int pu_a, int pu_b, int processes) XYLEM_DECLARED;

/* A bubble of the program's own: a set of OpenMP threads and of other bubbles that belong together
 * (paper 002, section 2.2.1). What threads inside a bubble open, belongs to it. Under `gang` it is
 * one gang: its threads run at the same time, and wait for their turn at scheduling points or,
 * where they compute for long, in between. A bubble lives until it is destroyed. Every function
 * takes any address, and answers EINVAL, or NULL, for one that is no live bubble's. */
typedef struct xylem_bubble xylem_bubble;

/* A new bubble, empty, inside the program's bubble that the calling thread is in, if any. */
xylem_bubble* xylem_bubble_create(void) XYLEM_DECLARED;
/* Ends it. EBUSY while threads or bubbles are inside. */
int xylem_bubble_destroy(xylem_bubble* bubble) XYLEM_DECLARED;

/* The calling thread goes into the bubble, with all regions that it opens from now on, until it
 * leaves; bubbles may be entered one within the other. A thread that ends leaves what it entered. A
 * thread whose bubble waits for its turn waits here. */
int xylem_bubble_enter(xylem_bubble* bubble) XYLEM_DECLARED;
/* Back to where the thread was before its last xylem_bubble_enter. EPERM if there was none in this
 * region. */
int xylem_bubble_leave(void) XYLEM_DECLARED;
/* The bubble of the program that the calling thread is in; NULL: none. */
xylem_bubble* xylem_bubble_current(void) XYLEM_DECLARED;

/* The load of all the bubble's threads together, in any unit, 0: not known. It weighs bubbles that
 * policies place side by side; and a thread of an outermost team that goes into the bubble tells it
 * as its own (xylem_set_load). */
int xylem_bubble_set_load(xylem_bubble* bubble, long load) XYLEM_DECLARED;
/* Kind of the levels at which teams opened inside it leave their threads (the papers' burst level,
 * paper 002, section 2.3.2): an xylem_level_kind, or -1: where the policy says. */
int xylem_bubble_set_burst_level(xylem_bubble* bubble, int kind) XYLEM_DECLARED;
/* Kind of the levels on one of which the bubble has its turns under `gang`: an xylem_level_kind, or
 * -1, as at the beginning: XYLEM_GANG_LEVEL. Bubbles on levels beside each other run at the same
 * time; one whose level has those of others inside takes turns with all of these (paper 002,
 * section 2.3.2). Counts from the next turn on. */
int xylem_bubble_set_gang_level(xylem_bubble* bubble, int kind) XYLEM_DECLARED;
/* Of what waits in one queue the higher priority runs first; 0 at the beginning. Counts for threads
 * that are made, or go in, after the call. */
int xylem_bubble_set_priority(xylem_bubble* bubble, int priority) XYLEM_DECLARED;
/* Microseconds of one turn of the bubble, under a policy that gives turns: gangs have the machine
 * in proportion to these. 0, as at the beginning: XYLEM_TIME_SLICE. Turns end when the runtime
 * looks, at half of XYLEM_TIME_SLICE or every millisecond if that is less; what a turn was longer
 * is taken from the next ones. EINVAL if it is negative or more than a thousand seconds. */
int xylem_bubble_set_slice(xylem_bubble* bubble, long microseconds) XYLEM_DECLARED;

/* In place of a level's number. */
#define XYLEM_DETACHED (-1)  /* its threads stand in the queues of processors */
#define XYLEM_SUSPENDED (-2) /* it waits for its turn */

typedef struct {
  xylem_bubble* parent; /* NULL: none */
  long load;            /* as told; 0: not told */
  int burst_level;      /* kind, or -1 */
  int priority;
  int threads;      /* OpenMP threads in it and in bubbles inside */
  int running;      /* of these, when the runtime looked last: every millisecond in a region */
  int level;        /* number of the level to which it is attached, or XYLEM_DETACHED, ... */
  long waiting;     /* of its threads, in its own queue; 0 while it is detached */
  long long cpu_ns; /* processor time of its threads, in nanoseconds, as found by these polls:
                       of work outside of parallel regions, and of less than a few
                       milliseconds, there is none */
  long long misses; /* likewise cache misses, or what XYLEM_MISSES counts in their place; -1: they
                       are not counted */
} xylem_bubble_info;

/* Fills the first `size` bytes (sizeof *info) of `info`. EINVAL also if `size` is none of a version
 * of this structure. Memory by node: xylem_bubble_memory() in memory.h.
 */
int xylem_bubble_query(const xylem_bubble* bubble, xylem_bubble_info* info,
                       unsigned long size) XYLEM_DECLARED;

#ifdef __cplusplus
}
#endif

#endif
