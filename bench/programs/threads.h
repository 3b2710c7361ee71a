/* The operations on threads that threads.c times, on Xylem's fibers and on NPTL's threads.
 *
 * Each function does `count` operations and returns how many nanoseconds they took; 0: all the time
 * that the call took. A team, or what is made at once in its place, has `bench_threads` threads.
 *
 * - creation: to make a thread that does not run yet, in processor time of its maker. A fiber is
 *   made as a seed: its share of a bubble. NPTL's threads have stacks of 64 KiB, which libc keeps
 *   for the next, and are joined.
 * - execution: from there to its end, with all that is to be done until its maker knows of it: the
 *   whole time without that of creation. The thread does nothing.
 * - creation_execution: both.
 * - blocking: both, of threads all of which wait once for all the others, at a barrier.
 * - schedule: a call of the scheduler that finds the same thread again. A fiber is put into its
 *   queue, left, found there and gone on with; NPTL's thread calls sched_yield().
 * - switch: from one of two threads on one PU to the other by a yield; both are always ready.
 * - hand_over: the same between two that wake each other and wait, by address (a futex).
 * - order_inactive: to ask that a thread that sleeps be on another PU, by another thread. A fiber
 *   is pinned, put into the queue there, and its worker is told; NPTL's thread gets another
 *   affinity, and goes on sleeping.
 * - order_active: the same for one that runs. A fiber moves of its own will: from its call until
 *   the next fiber runs on the PU that it left. NPTL's thread is moved by another one, on the PU
 *   that it is to come to.
 * - migration_latency: of a thread that moves itself: from its order until it runs on the other PU.
 */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#pragma GCC visibility push(default) /* the runtime's code is hidden otherwise */
#ifdef __cplusplus
extern "C" {
#endif

enum { bench_threads = 500, bench_sleepers = 64 };

#define BENCH_THREAD_OPERATIONS(of)                                                      \
  of(creation) of(execution) of(creation_execution) of(blocking) of(schedule) of(switch) \
      of(hand_over) of(order_inactive) of(order_active) of(migration_latency)

#define BENCH_DECLARE(operation)              \
  double bench_fiber_##operation(long count); \
  double bench_nptl_##operation(long count);
BENCH_THREAD_OPERATIONS(BENCH_DECLARE)
#undef BENCH_DECLARE

/* Opens a region and ends the process, with a line, unless fibers run in this tier of thread-local
 * storage. 0: any tier. */
void bench_fiber_start(int tier);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
