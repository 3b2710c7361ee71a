// Owns: the functions of wait::Scheduler. See interposed.hpp.
#include "sched/worker/interposed.hpp"

#include "os/futex.hpp"
#include "os/shared_object.hpp"
#include "os/ticks.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/gathering.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

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

void yield_fiber() { yield(); }

uint64_t ticks() { return os::read_ticks_early(); }

bool wait_here(const wait::Wait& wait, int64_t deadline) {
  return wait_for_room(wait, deadline, true);
}

// To read the counter twice is too much for who has never run briefly.
void wake_there(const void* address) {
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

}  // namespace xylem::sched
