// The scheduler's one door: user-level threads on workers, for the layers after this one. They
// include this header and no other of sched/; what is behind it is theirs to use, not to name.
//
// A thread is one OpenMP thread (sched::Thread). The rooms behind know it as a fiber.
#pragma once

#include <cstdlib>

#include "sched/context/float_control.hpp"
#include "sched/fork_lines.hpp"
#include "sched/group/groups.hpp"
#include "sched/place/hint_decision.hpp"
#include "sched/place/membership.hpp"
#include "sched/place/thread_place.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/region.hpp"
#include "sched/running.hpp"
#include "sched/start.hpp"
#include "sched/worker/interposed.hpp"
#include "sched/worker/member_end.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/wait_address.hpp"
#include "sched/worker/wait_list.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

// --- threads -------------------------------------------------------------------------------------

// The calling thread; null on a kernel thread that the runtime has not adopted.
inline Thread* current_thread() { return current_fiber(); }
// The calling thread. A kernel thread that the runtime does not know becomes an external thread,
// whose `user` is null then, for the caller to fill (worker/external_thread.hpp)
Thread& this_thread();

// True for the program's own kernel threads, which open regions.
inline bool is_external(const Thread& thread) {
  return static_cast<const Fiber&>(thread).external != nullptr;
}

// What the upper layer knows the thread's contention group by.
inline void* group_user(const Thread& thread) {
  return contention_group(static_cast<const Fiber&>(thread)).user;
}

// The first of `count` numbers that no other thread of the process has; `self` is the calling
// thread (worker/thread_numbers.hpp).
inline int take_numbers(const Thread& self, int count) {
  return static_cast<const Fiber&>(self).worker->numbers.take(count);
}

// --- waiting -------------------------------------------------------------------------------------

// From here on the calling kernel thread, which is one of the runtime's own, leaves its processor
// to others at once whenever it waits: what it waits for is no processor's work.
void sleep_in_waits();

// The kernel thread that the calling thread runs on goes to its worker's processor if it is on
// another one, unless it is another program thread's own. For threads that have one each for long:
// the kernel may have woken two on one (worker/parting.hpp).
void go_to_own_processor();

// Leaves the calling thread for others; left(argument) runs once it is off its stack, and is where
// the thread becomes findable. Returns when somebody has called make_ready().
void suspend(void (*left)(void* argument), void* argument, trace::Reason reason);

// Hints for who spins or yields: whether something waits at the thread's own PU; whether a thread
// or seed stands in that PU's queue; whether a yield might find somebody.
inline bool others_wait(const Thread& self) {
  const Worker& worker = *static_cast<const Fiber&>(self).worker;
  return worker.pool && worker.has_waiting();  // before the first team there is no pool
}
// Whether kernel threads had to be brought, ever in this process, as threads spun or were blocked
// while others stood behind them (Monitor::reliefs()).
inline bool threads_needed_relief(const Thread& self) {
  return static_cast<const Fiber&>(self).worker->pool->monitor().reliefs() != 0;
}
// How long a thread waits in place before it sleeps: as long as an idle worker looks for work,
// while nothing is there that its worker could do instead. Reads what is the worker's own, and now
// and then what is known by level (Pool::anything_to_steal).
class InPlace {
 public:
  explicit InPlace(const Thread& self)
      : worker_(*static_cast<const Fiber&>(self).worker),
        free_turns_(worker_.solo ? free_turns_alone() : free_turns) {}
  // Before each poll; turn: 0, 1, 2, ...
  bool goes_on(int turn) {
    if ((turn & 15) != 0) return true;
    if (!worker_.pool || worker_.has_waiting()) return false;
    return turn < free_turns_ || (turn & 63) != 0 || has_time();
  }

 private:
  static constexpr int free_turns = 320;  // that cost less than to sleep and be woken
  bool has_time();
  int free_turns_alone() const;
  Worker& worker_;
  const int free_turns_;
  int64_t until_ns_ = 0;  // 0: not yet known
};
inline bool queue_has_some(const Thread& self) {
  return static_cast<const Fiber&>(self).worker->queue().count() > 0;
}
inline bool yield_may_help(const Thread& self) {
  return static_cast<const Fiber&>(self).worker->yield_may_help();
}
// A yield of the calling thread may find something from here on that no queue of this layer holds.
inline void record_new_work(Thread& self) { static_cast<Fiber&>(self).worker->yielded_in_vain = 0; }

// --- memory and the trace ------------------------------------------------------------------------

// Blocks of memory from the cache of the worker that the thread runs on (context/block_cache.hpp);
// may be put back on any other. `self` is the calling thread, or null: from malloc then.
inline void* take_block(const Thread* self, size_t bytes) {
  return self ? static_cast<const Fiber*>(self)->worker->blocks.take(bytes)
              : BlockCache::fresh(bytes);
}
inline void put_block(const Thread* self, void* block, size_t bytes) {
  if (self) return static_cast<const Fiber*>(self)->worker->blocks.put(block, bytes);
  std::free(block);
}

// The bytes that a block of so many takes.
constexpr size_t block_room(size_t bytes) { return BlockCache::room_for(bytes); }

// Where the thread's worker records events; by the calling thread.
inline trace::Source& trace_source(const Thread& self) {
  return static_cast<const Fiber&>(self).worker->trace;
}

}  // namespace xylem::sched
