/* Bubbles: nested sets of threads, and what the program knows of them (paper 002, section 2.3.1).
 *
 * Owns: the functions by which a program tells Xylem the loads of its threads and asks what machine
 * the runtime sees. Every OpenMP team is a bubble; programs need none of this to run well.
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
 * marcel_set_load; paper 002, section 2.6.2). Without it a thread counts 1. The load is remembered
 * for the thread of this number in the outermost teams that the calling program thread opens, and
 * takes effect when the next one begins. 0 forgets it; a negative load counts as 0. */
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

/* The machine as levels, numbered from 0, the machine itself, breadth-first. */
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

#ifdef __cplusplus
}
#endif

#endif
