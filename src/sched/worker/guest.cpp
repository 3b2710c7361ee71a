// Owns: guests. See guest.hpp.
#include "sched/worker/guest.hpp"

#include <new>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/member_end.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"
#include "trace/recorder.hpp"

namespace xylem::sched {

namespace {

void (*end_hook)(ContentionGroup&) = nullptr;
constinit std::atomic<int> guest_count{0};
constinit std::atomic<int> guests_met{0};  // relaxed: only a number
constexpr int spins_before_sleep = 2000;

void end_guest(void* raw) {
  auto* guest = static_cast<Guest*>(raw);
  if (has_open_region(*guest)) stay_for_ever();  // the program ended it inside; its team needs it
  set_current_fiber(nullptr);
  if (guest->group && end_hook) end_hook(*guest->group);
  // In the child of a fork the pool before it is nobody's, and its locks may be held for ever.
  if (guest->worker.pool && guest->worker.pool == Pool::instance()) {
    const Context spare = guest->worker.spare;
    if (spare.stack) guest->worker.pool->stacks().release(spare.stack, spare.sp);
    give_blocks_back(guest->worker);
  }
  delete guest->native.gate;
  trace::close(guest->worker.trace);
  delete guest;
  // A process whose first thread has ended lives until its other threads end: ours must not keep
  // it.
  if (guest_count.fetch_sub(1) != 1 || !(os::is_first_thread() || os::first_thread_ended())) return;
  trace::end_writer();
  if (Pool* pool = Pool::instance()) {
    Pool::install(nullptr);
    pool->stop();
  }
}

void describe(Guest& guest) {
  guest.worker.native = os::describe_this_thread();
  guest.worker.block_in_force = guest.worker.native.block;
  if (!guest.worker.loop_block) guest.worker.loop_block = guest.worker.native.block;
  guest.worker.tid.store(guest.worker.native.tid, std::memory_order_relaxed);  // relaxed: a number
}

Fiber& meet() {
  auto* guest = new Guest;
  guest_count.fetch_add(1);
  describe(*guest);
  const os::StackBounds bounds = os::native_stack();
  guest->native.low = bounds.low;
  guest->native.high = bounds.high;
  base::sanitizer_adopt_this_thread(guest->native.sanitizer);
  guest->number = guests_met.fetch_add(1, std::memory_order_relaxed) + 1;
  guest->worker.trace.kind = trace::SourceKind::guest;
  guest->worker.guest = guest;
  guest->worker.pool = Pool::instance();
  if (guest->worker.pool) guest->worker.serve(0);
  guest->worker.current = &guest->fiber;
  guest->fiber.guest = guest->fiber.root = guest;
  guest->fiber.worker = &guest->worker;
  guest->fiber.context.stack = &guest->native;
  set_current_fiber(&guest->fiber);
  os::at_thread_exit(end_guest, guest);
  return guest->fiber;
}

// After of a guest's fiber that goes home: only its own kernel thread may take it now.
void send_home(Worker&, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  Worker& home = fiber.guest->worker;
  fiber.home_only = true;
  fiber.pinned = false;
  Pool& pool = *home.pool;
  const Guest* root = home.guest;
  const int pu = home.pu;
  trace::emit<traced::woken>(fiber, pool.pu_queue(pu));
  pool.pu_queue(pu).push_ready(fiber);  // from here on it may run, and its thread may end
  pool.wake_for(pu, true, root);
}

}  // namespace

// In the child of a fork no region of the parent's is left.
bool has_open_region(const Guest& guest) {
  return guest.regions > 0 && guest.worker.pool == Pool::instance();
}

Fiber& this_fiber() {
  Fiber* fiber = current_fiber();
  return fiber ? *fiber : meet();
}

void on_guest_end(void (*hook)(ContentionGroup&)) { end_hook = hook; }

void enter_region(Guest& guest) {
  Pool& pool = *Pool::instance();
  if (guest.worker.pool != &pool) {  // the first region, or the first after fork()
    guest.worker.pool = &pool;
    guest.worker.serve(0);
    guest.worker.spare = {};
    describe(guest);
  }
  if (pool.open_regions.fetch_add(1) == 0) pool.choose_tier();
  if (pool.tier() == TlsTier::cxx_library && !guest.worker.native.exceptions) describe(guest);
  pool.monitor().note_region();
  if (pool.own_blocks() && guest.worker.loop_block == guest.worker.native.block)
    guest.worker.loop_block = pool.take_block();
  guest.fiber.block = pool.own_blocks() ? guest.worker.native.block : nullptr;
  if (pool.a_thread_each()) add_gate(guest.native, true);
  if (!guest.seated) guest.seated = pool.take_seat(guest.worker);
  if (!guest.seated) pool.note_unseated(guest.worker);
  ++guest.regions;
}

void leave_region(Guest& guest) {
  Pool& pool = *guest.worker.pool;
  // Away from home: back, before the program goes on. All of the region has ended, so home is in
  // its loop; the monitor may set the fiber free once more if it looks just then.
  while (guest.fiber.worker != &guest.worker) suspend_elsewhere(send_home, &guest.fiber);
  --guest.regions;
  if (guest.seated) {
    guest.seated = false;
    trace::emit<traced::of_worker>(guest.worker, trace::event("worker_asleep"));
    pool.leave_seat();
  } else {
    pool.forget_unseated(guest.worker);
  }
  // release: pairs with the increment in enter_region() that finds 0
  pool.open_regions.fetch_sub(1, std::memory_order_release);
}

void wait_without_seat(Fiber& fiber, After after, void* argument) {
  Guest& guest = *fiber.guest;
  guest.waiting.store(1, std::memory_order_relaxed);  // relaxed: `after` publishes the fiber
  after(guest.worker, argument);
  // acquire: pairs with the release in wake_without_seat()
  for (int turn = 0; guest.waiting.load(std::memory_order_acquire) == 1; ++turn) {
    if (turn < spins_before_sleep) {
      os::relax();
    } else {
      os::futex_wait(&guest.waiting, 1);
    }
  }
  activate(fiber, guest.worker);
  trace::emit<traced::resumed>(guest.worker, fiber);
}

bool wake_without_seat(Fiber& fiber) {
  Guest& guest = *fiber.guest;
  // relaxed: only the fiber itself sets 1, and it did so before it became findable
  if (guest.waiting.load(std::memory_order_relaxed) == 0) return false;
  trace::emit<traced::woken_at_home>(fiber);
  guest.waiting.store(0, std::memory_order_release);  // pairs with wait_without_seat()
  os::futex_wake(&guest.waiting, 1);
  return true;
}

void forget_workers_in_child() {
  Pool::install(nullptr);
  Fiber* fiber = current_fiber();
  guest_count.store(fiber && fiber->guest ? 1 : 0);
  if (!fiber) return;
  if (fiber->guest && fiber->guest->regions == 0) {
    fiber->guest->seated = false;
  } else {
    guest_count.store(0);
    set_current_fiber(nullptr);  // forked inside a region: the child starts anew as a guest
  }
}

}  // namespace xylem::sched
