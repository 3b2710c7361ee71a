// Owns: external threads. See external_thread.hpp.
#include "sched/worker/external_thread.hpp"

#include <new>
#include <utility>

#include "os/clock.hpp"
#include "os/thread.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/member_end.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"
#include "trace/recorder.hpp"

namespace xylem::sched {

namespace {

void (*end_hook)(ContentionGroup&) = nullptr;
constinit std::atomic<int> external_count{0};
constinit std::atomic<int> externals_adopted{0};  // relaxed: only a number

void end_external(void* raw) {
  auto* external = static_cast<ExternalThread*>(raw);
  if (has_open_region(*external))
    stay_for_ever();  // the program ended it inside; its team needs it
  set_current_fiber(nullptr);
  if (external->group && end_hook) end_hook(*external->group);
  // In the child of a fork the pool before it is nobody's, and its locks may be held for ever.
  if (external->worker.pool && external->worker.pool == Pool::instance()) {
    const Context spare = external->worker.spare;
    if (spare.stack) external->worker.pool->stacks().release(spare.stack, spare.sp);
    give_blocks_back(external->worker);
  }
  delete external->native.gate;
  trace::close(external->worker.trace);
  delete external;
  // A process whose first thread has ended lives until its other threads end: ours must not keep
  // it.
  if (external_count.fetch_sub(1) != 1 || !(os::is_first_thread() || os::first_thread_ended()))
    return;
  trace::end_writer();
  if (Pool* pool = Pool::instance()) {
    Pool::install(nullptr);
    if (pool->settings().at_end) pool->settings().at_end();
    pool->stop();
  }
}

void describe(ExternalThread& external) {
  external.worker.come_to(os::describe_this_thread());
  external.worker.block_in_force = external.worker.native.block;
  if (!external.worker.loop_block) external.worker.loop_block = external.worker.native.block;
}

Fiber& meet() {
  auto* external = new ExternalThread;
  external_count.fetch_add(1);
  describe(*external);
  const os::StackBounds bounds = os::native_stack();
  external->native.low = bounds.low;
  external->native.high = bounds.high;
  base::sanitizer_adopt_this_thread(external->native.sanitizer);
  external->number = externals_adopted.fetch_add(1, std::memory_order_relaxed) + 1;
  external->worker.trace.kind = trace::SourceKind::external;
  external->worker.external = external;
  external->worker.solo = true;
  external->worker.pool = Pool::instance();
  if (external->worker.pool) external->worker.serve(0);
  external->worker.current = &external->fiber;
  external->fiber.external = external->fiber.initial = external;
  external->fiber.worker = &external->worker;
  external->fiber.context.stack = &external->native;
  set_current_fiber(&external->fiber);
  os::at_thread_exit(end_external, external);
  return external->fiber;
}

// AfterSwitch of an external thread's fiber that goes home: only its own kernel thread may take it
// now.
void send_home(Worker&, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  Worker& home = fiber.external->worker;
  fiber.external_only = true;
  fiber.pinned = false;
  Pool& pool = *home.pool;
  const ExternalThread* initial = home.external;
  const int pu = home.pu;
  trace::emit<traced::woken>(fiber, pool.pu_queue(pu));
  const Concerns whom = pool.pu_queue(pu).push_ready(fiber);  // from here on it may run, and end
  pool.wake_for(pu, whom, initial);
}

}  // namespace

// In the child of a fork no region of the parent's is left.
bool has_open_region(const ExternalThread& external) {
  return external.regions > 0 && external.worker.pool == Pool::instance();
}

Fiber& this_fiber() {
  Fiber* fiber = current_fiber();
  return fiber ? *fiber : meet();
}

void on_external_end(void (*hook)(ContentionGroup&)) { end_hook = hook; }

namespace {

// Counts the caller's region in the pool that it is to run in: another one from here on, where
// libraries came that need kernel threads and nobody else has a region open.
Pool& enter_pool() {
  for (;;) {
    Pool& pool = *Pool::instance();
    const int others = pool.open_regions.fetch_add(1);
    if (others > 0) return pool;
    if (others < 0) {  // another pool is about to take its place
      os::yield_to_kernel();
      continue;
    }
    pool.choose_tier();
    if (!pool.lacks_threads() || !pool.retire()) return pool;
    pool.settings().replace(pool);
  }
}

}  // namespace

Pool& enter_region(ExternalThread& external) {
  Pool& pool = enter_pool();
  if (external.worker.pool != &pool) {  // the first region, or the first after fork() or in place
    external.worker.pool = &pool;       // of a pool that retired
    external.worker.serve(0);
    external.worker.spare = {};
    delete std::exchange(external.native.gate, nullptr);
    describe(external);
  }
  // Of a pool that retired; it is lost, as that pool's locks may be held for ever after fork().
  if (pool.a_thread_each()) external.worker.loop_block = external.worker.native.block;
  if (pool.tier() == TlsTier::cxx_library && !external.worker.native.exceptions) describe(external);
  pool.monitor().record_region();
  if (pool.own_blocks() && external.worker.loop_block == external.worker.native.block)
    external.worker.loop_block = pool.take_block();
  external.fiber.block = pool.own_blocks() ? external.worker.native.block : nullptr;
  if (pool.a_thread_each() && !external.native.gate) add_gate(external.native, true);
  if (!external.has_slot) external.has_slot = pool.take_slot(external.worker);
  external.worker.solo = !external.has_slot;
  if (external.worker.solo) pool.add_solo(external.worker);
  ++external.regions;
  return pool;
}

void leave_region(ExternalThread& external) {
  Pool& pool = *external.worker.pool;
  // Away from home: back, before the program goes on. All of the region has ended, so home is in
  // its loop; the monitor may set the fiber free once more if it looks just then.
  while (external.fiber.worker != &external.worker) suspend_elsewhere(send_home, &external.fiber);
  Pool::let_go(external);
  --external.regions;
  if (external.has_slot) {
    external.has_slot = false;
    trace::emit<traced::of_worker>(external.worker, trace::event("worker_asleep"));
    pool.leave_slot();
    external.worker.solo = true;
  } else {
    pool.remove_solo(external.worker);
  }
  // release: pairs with the increment in enter_region() that finds 0
  pool.open_regions.fetch_sub(1, std::memory_order_release);
}

void forget_workers_in_child() {
  Pool::install(nullptr);
  Fiber* fiber = current_fiber();
  external_count.store(fiber && fiber->external ? 1 : 0);
  if (!fiber) return;
  if (fiber->external && fiber->external->regions == 0) {
    fiber->external->has_slot = false;
    fiber->external->worker.solo = true;
  } else {
    external_count.store(0);
    set_current_fiber(
        nullptr);  // forked inside a region: the child starts anew as an external thread
  }
}

}  // namespace xylem::sched
