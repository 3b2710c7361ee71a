// Owns: the functions of wait::Scheduler. See interposed.hpp.
#include "sched/worker/interposed.hpp"

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/shared_object.hpp"
#include "os/ticks.hpp"
#include "os/tls.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/gathering.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// By thread pointer, who is between the locks that fork() takes and their release; null: nobody.
// Relaxed: a thread compares it with what itself has written.
constinit std::atomic<const void*> forker{nullptr};

constinit ForkLocks fork_locks{};  // written once, before main()

bool forks_now() { return forker.load(std::memory_order_relaxed) == os::thread_pointer(); }

// A fiber in its own code: its worker says so, too. An external thread's only where its kernel
// thread has other work to do meanwhile. One that is a kernel thread waits as such: its program may
// stop the others by signals wherever they are, with a lock of the scheduler's held, and wait for
// something then, as collectors do.
bool on_fiber() {
  const Fiber* fiber = current_fiber();
  if (!fiber) return false;
  const Worker* worker = fiber->worker;
  if (worker->current != fiber || !worker->pool || worker->pool->a_thread_each()) return false;
  return !worker->solo && worker->pool->monitor().runs();
}

bool own_identity() { return current_fiber()->worker->pool->own_blocks(); }

// Handlers that the program's libraries registered for fork() before Xylem did run with fork()'s
// locks held. Who waits in one gives the locks back until it has what it waited for.
void lend_fork_locks() {
  if (!forks_now()) return;
  current_fiber()->owes_fork_locks = true;
  fork_locks.give_back();
}

void take_lent_fork_locks() {
  Fiber* fiber = current_fiber();
  if (!fiber || !fiber->owes_fork_locks) return;
  fiber->owes_fork_locks = false;
  fork_locks.take();
}

// What the program waits for may be done by a kernel thread of its own, such as a mathematical
// library's, which fibers that yield to each other would keep from the processor for a time slice
// of the kernel's each time. A call to the kernel takes as long as some switches.
constexpr int yields_between_kernel_yields = 64;

void yield_fiber() {
  lend_fork_locks();
  const bool another_ran = yield();  // if not, the kernel was asked
  int& left = current_fiber()->worker->yields_until_kernel_yield;
  if (another_ran && --left <= 0) {
    left = yields_between_kernel_yields;
    os::yield_to_kernel();
  }
  take_lent_fork_locks();
}

uint64_t ticks() { return os::read_ticks_early(); }

bool wait_here(const wait::Wait& wait, int64_t deadline) {
  lend_fork_locks();
  return wait_for_room(wait, deadline, true);
}

// To read the counter twice is too much for who has never run briefly.
void wake_there(const void* address) {
  if (forks_now()) return post_wake(address);
  const RunStandsStill waking(ran_briefly);
  wake_with_room(address, wait::everyone);
}

void sleep_in_kernel(const uint32_t* word, uint32_t value) {
  os::futex_wait(reinterpret_cast<const std::atomic<uint32_t>*>(word), value);
}

void wake_in_kernel(const uint32_t* word) {
  os::futex_wake(reinterpret_cast<const std::atomic<uint32_t>*>(word), INT32_MAX);
}

constexpr wait::Scheduler scheduler = {
    .on_fiber = on_fiber,
    .own_identity = own_identity,
    .yield = yield_fiber,
    .ticks = ticks,
    .wait = wait_here,
    .waited = take_lent_fork_locks,
    .wake = wake_there,
    .wake_soon = post_wake,
    .sleep_in_kernel = sleep_in_kernel,
    .wake_in_kernel = wake_in_kernel,
};

// The interposing library's; null: it is not there, or is offered nothing.
constinit wait::Install install = nullptr;  // written once, before main()

}  // namespace

void offer_waits() {
  install = reinterpret_cast<wait::Install>(os::find_symbol(wait::install_name));
  if (install) install(&scheduler);
}

void offer_waits_in_child() {
  if (install) install(&scheduler);
}

void know_fork_locks(const ForkLocks& locks) { fork_locks = locks; }

// relaxed: see forker
void begin_fork() { forker.store(os::thread_pointer(), std::memory_order_relaxed); }
void end_fork(bool /*in_child*/) { forker.store(nullptr, std::memory_order_relaxed); }

}  // namespace xylem::sched
