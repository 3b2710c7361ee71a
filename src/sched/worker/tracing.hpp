// Owns: what this layer tells the trace. Sites call these by trace::emit<>, never by themselves:
// they run only while tracing.
#pragma once

#include "sched/worker/external_thread.hpp"
#include "trace/emit.hpp"

namespace xylem::sched {

// A thread as the trace names it.
struct ThreadName {
  uint64_t bubble = 0;
  int member = 0;
};

// How the upper layer names the thread that a fiber runs, by its `user`. Set once.
using NameUser = ThreadName (*)(const Thread& thread);
void name_threads_by(NameUser name_user);

// Only while tracing.
ThreadName name_of(const Thread& thread);

namespace traced {

// Member `index` of the bubble begins or ends on the worker.
[[gnu::cold]] void started(Worker& worker, const Bubble& bubble, int index);
[[gnu::cold]] void ended(Worker& worker, const Bubble& bubble, int index);

// The fiber leaves the worker, and goes on.
[[gnu::cold]] void slept(Worker& worker, const Fiber& fiber, trace::Reason reason);
[[gnu::cold]] void resumed(Worker& worker, Fiber& fiber);

// Before the fiber is put into the queue. Whoever wakes may be on no worker: the fiber keeps the
// moment, and resumed() puts both.
[[gnu::cold]] void woken(Fiber& fiber, const RunQueue& queue);
// The same for a fiber that is its kernel thread's only one, and whose kernel thread sleeps,
// perhaps before there is a pool.
[[gnu::cold]] void woken_at_home(Fiber& fiber);

// The team is there; its member 0 goes on in the maker's place, which still is its own. `level`: of
// nesting. Gives the team its number.
[[gnu::cold]] void bubble_made(const Thread& maker, Bubble& team, int level);
// All members have ended but member 0, which does so now.
[[gnu::cold]] void bubble_over(const Thread& maker, const Bubble& team);
// The team opens the region of the external thread of that number.
[[gnu::cold]] void region_begun(Worker& worker, const Bubble& team, int number);
// By the process that forks, if the caller is a thread that the runtime knows.
[[gnu::cold]] void forked();

// Before the seed range is put on the queue.
[[gnu::cold]] void queued(Worker& worker, const SeedRange& seeds, const RunQueue& queue);
// The same by a thread that is no worker.
[[gnu::cold]] void moved(trace::Source& source, const SeedRange& seeds, const RunQueue& queue);
// `work` and the rest, which is null if there is none, were taken from a queue of level `from`.
[[gnu::cold]] void stolen(Worker& thief, const Work& work, const SeedRange* rest, int from);
[[gnu::cold]] void burst(Worker& worker, const Bubble& bubble, int level);

// A bubble was attached to a level, or suspended (suspended); nowhere is not told.
[[gnu::cold]] void attached(trace::Source& source, uint64_t bubble, int level);

// worker_searching and its like: what has only the worker's PU.
[[gnu::cold]] void of_worker(Worker& worker, trace::Kind kind);

// A worker's kernel thread begins.
[[gnu::cold]] void arrived(Worker& worker);

}  // namespace traced
}  // namespace xylem::sched
