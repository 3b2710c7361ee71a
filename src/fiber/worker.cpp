// Owns: switches between fibers and loops. See worker.hpp and fiber.hpp.
#include "fiber/worker.hpp"

#include <utility>

#include "base/check.hpp"
#include "fiber/guest.hpp"
#include "fiber/holder.hpp"
#include "fiber/pool.hpp"
#include "fiber/thread_context.hpp"
#include "fiber/tracing.hpp"
#include "os/thread.hpp"

extern "C" {
// The fiber that runs under the thread block in force. Reached by assembly only (fiber.hpp).
__attribute__((
    visibility("hidden"),
    tls_model("initial-exec"))) thread_local constinit xylem::fiber::Fiber* xylem_current_fiber =
    nullptr;
}

namespace xylem::fiber {

void Worker::serve(int its_pu) {
  pu = its_pu;
  own_queue = &pool->pu_queue(its_pu);
}

// --- the kernel thread's state -------------------------------------------------------------------

void to_native(Worker& worker) {
  if (worker.block_in_force == worker.native.block) return;
  os::set_thread_pointer(worker.native.block);
  worker.block_in_force = worker.native.block;
}

namespace {

// Where the fiber's errno and exceptions are in memory while it runs on `worker`; null if they are
// in a block that nobody else uses. A guest's own block is also used by the loop on its kernel
// thread.
const os::NativeThread* shared_state(const Fiber& fiber, const Worker& worker) {
  if (!fiber.block) return &worker.native;
  return fiber.guest ? &fiber.guest->worker.native : nullptr;
}

}  // namespace

void save_thread_state(Fiber& fiber, Worker& worker) {
  worker.note_fiber(nullptr, nullptr);
  const os::NativeThread* state = shared_state(fiber, worker);
  if (!state) return;
  fiber.error_number = *state->errno_address;
  if (state->exceptions) fiber.exceptions = *state->exceptions;
}

void activate(Fiber& fiber, Worker& worker) {
  XYLEM_ASSERT(worker.may_run(fiber.root), "a guest's thread runs a foreign fiber");
  fiber.worker = &worker;
  fiber.pu = worker.pu;
  worker.current = &fiber;
  worker.note_fiber(fiber.holder, fiber.time);
  if (!fiber.block) {
    to_native(worker);
  } else if (worker.block_in_force != fiber.block) {
    os::set_thread_pointer(fiber.block);
    worker.block_in_force = fiber.block;
  }
  if (const os::NativeThread* state = shared_state(fiber, worker)) {
    *state->errno_address = fiber.error_number;
    if (state->exceptions) *state->exceptions = fiber.exceptions;
  }
  set_current_fiber(&fiber);
}

// --- seeds ---------------------------------------------------------------------------------------

namespace {

// Which member an index means, most often without a division.
int member_of(const Bubble& bubble, int index) {
  return index < bubble.members ? index : index % bubble.members;
}

void* take_block(Worker& worker) {
  if (worker.free_block_count > 0) return worker.free_blocks[--worker.free_block_count];
  return worker.pool->take_block();
}

void put_block(Worker& worker, void* block) {
  if (worker.free_block_count < static_cast<int>(sizeof worker.free_blocks / sizeof(void*))) {
    worker.free_blocks[worker.free_block_count++] = block;
  } else {
    worker.pool->put_block(block);
  }
}

void* block_for(Worker& worker, Bubble& bubble, int index) {
  if (!bubble.sticky_blocks) return take_block(worker);
  void*& kept = bubble.sticky_blocks[member_of(bubble, index)];
  if (!kept) kept = take_block(worker);
  return kept;
}

}  // namespace

Worker* run_member(Worker* worker, Bubble& bubble, int index, Stack* stack) {
  Fiber self;
  self.context.stack = stack;
  self.root = bubble.root;
  self.holder = bubble.holder;
  self.priority = bubble.priority;
  self.time = bubble.times_by_member ? bubble.times + member_of(bubble, index) : bubble.times;
  const bool sticky = bubble.sticky_blocks != nullptr;
  if (worker->pool->own_blocks()) self.block = block_for(*worker, bubble, index);
  activate(self, *worker);
  trace::emit<traced::started>(*worker, bubble, index);
  bubble.body(bubble, index, self);
  worker = self.worker;
  trace::emit<traced::ended>(*worker, bubble, index);
  if (self.block) {
    to_native(*worker);
    if (!sticky) put_block(*worker, self.block);
  }
  worker->current = nullptr;
  worker->note_fiber(nullptr, nullptr);
  worker->note_turn();
  return worker;
}

Worker* run_seed(Worker* worker, Bubble& bubble, int index, Stack* stack) {
  worker = run_member(worker, bubble, index, stack);
  bubble.finished(bubble, index);
  return worker;
}

void run_seed_here(Bubble& bubble, int index) {
  Fiber& fiber = *current_fiber();
  save_thread_state(fiber, *fiber.worker);
  Worker* worker = run_seed(fiber.worker, bubble, index, fiber.context.stack);
  activate(fiber, *worker);
}

size_t stack_left(const Fiber& fiber) {
  const char* here = static_cast<char*>(__builtin_frame_address(0));
  return here > fiber.context.stack->low ? static_cast<size_t>(here - fiber.context.stack->low) : 0;
}

// --- the loop ------------------------------------------------------------------------------------

Context take_loop(Worker& worker) {
  if (worker.spare.sp) return std::exchange(worker.spare, Context{});
  return fresh_context(worker.pool->stacks().acquire(), worker_loop);
}

namespace {

// After of a loop that left for a fiber, and of one that left for ever.
void keep_loop(Worker& worker, void* loop) { worker.spare = *static_cast<Context*>(loop); }

void release_loop(Worker& worker, void* raw) {
  const Context loop = *static_cast<Context*>(raw);
  worker.pool->stacks().release(loop.stack, loop.sp);
}

// Goes back to the kernel thread's own stack, where worker_thread() returns.
[[noreturn]] void end_worker(Worker& worker, Stack* stack) {
  Context here{nullptr, stack};
  leave_stack(&worker, here, *worker.native_context, release_loop, &here);
}

Worker* run(Worker* worker, const Work& work, Stack* stack) {
  if (work.fiber) return resume_from_loop(worker, stack, work.fiber->context);
  if (stack->gate && work.bubble->sticky_blocks) return run_on_kept_thread(worker, work, stack);
  return run_seed(worker, *work.bubble, work.index, stack);
}

}  // namespace

Worker* resume_from_loop(Worker* worker, Stack* stack, Context to) {
  Context here{nullptr, stack};
  if (worker->spare.sp) leave_stack(worker, here, to, release_loop, &here);
  return switch_context(worker, here, to, keep_loop, &here);
}

void worker_loop(Worker* worker, Stack* stack) {
  for (;;) {
    to_native(*worker);
    worker->current = nullptr;
    const Work work = worker->pool->next_work(*worker);
    worker->note_turn();
    if (work.leave) end_worker(*worker, stack);
    worker = run(worker, work, stack);
  }
}

void worker_thread(void* raw) {
  auto* worker = static_cast<Worker*>(raw);
  worker->native = os::describe_this_thread();
  worker->block_in_force = worker->native.block;
  worker->tid.store(worker->native.tid, std::memory_order_relaxed);  // relaxed: only a number
  worker->pool->bind_worker(*worker);
  trace::emit<traced::arrived>(*worker);
  Stack native;
  const os::StackBounds bounds = os::native_stack();
  native.low = bounds.low;
  native.high = bounds.high;
  base::sanitizer_adopt_this_thread(native.sanitizer);
  if (worker->pool->a_thread_each()) add_gate(native, false);
  Context left{nullptr, &native};
  worker->native_context = &left;
  // Only now: a thread that is stuck before this would make the monitor add others without end.
  if (worker->extra)
    worker->pool->seat(worker->pu).starting.fetch_sub(1, std::memory_order_relaxed);  // a count
  switch_context(worker, left, take_loop(*worker), nothing_after, nullptr);
}

// --- suspending ----------------------------------------------------------------------------------

void suspend(After after, void* argument, trace::Reason reason) {
  Fiber& fiber = *current_fiber();
  Worker* worker = fiber.worker;
  save_thread_state(fiber, *worker);
  worker->note_turn();
  trace::emit<traced::slept>(*worker, fiber, reason);
  if (fiber.guest && !fiber.guest->seated && worker->guest == fiber.guest) {
    wait_without_seat(fiber, after, argument);
    return;
  }
  const Work next = worker->pool->ready_here(*worker);
  to_native(*worker);
  const Context target = next.fiber ? next.fiber->context : take_loop(*worker);
  worker = switch_context(worker, fiber.context, target, after, argument);
  activate(fiber, *worker);
  trace::emit<traced::resumed>(*worker, fiber);
}

namespace {

void go_on_last(Worker& worker, void* raw) {
  worker.back.store(static_cast<Fiber*>(raw), std::memory_order_release);  // pairs with take_back()
}

}  // namespace

void run_kept() {
  Fiber& fiber = *current_fiber();
  Worker* worker = fiber.worker;
  save_thread_state(fiber, *worker);
  worker->note_turn();
  trace::emit<traced::slept>(*worker, fiber, trace::Reason::join);
  to_native(*worker);
  worker = switch_context(worker, fiber.context, take_loop(*worker), go_on_last, &fiber);
  activate(fiber, *worker);
  trace::emit<traced::resumed>(*worker, fiber);
}

namespace {

void requeue(Worker& worker, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  fiber.home_only = worker.is_home_of(fiber);
  fiber.pinned = fiber.pin_pu >= 0;
  if (fiber.holder && keep_if_kept(fiber)) return;
  RunQueue& queue = worker.queue();
  trace::emit<traced::woken>(fiber, queue);
  queue.push_ready(fiber);
}

}  // namespace

// Each takes nanoseconds; the kernel gets its chance after some hundred.
constexpr int most_short_yields = 256;

bool yield() {
  Fiber& fiber = *current_fiber();
  scheduling_point(fiber);
  Worker* worker = fiber.worker;
  worker->short_yields = most_short_yields;
  if (fiber.guest && !fiber.guest->seated && worker->guest == fiber.guest) {
    os::yield_to_kernel();
    return false;
  }
  if (!worker->has_waiting() && !worker->pool->anything_to_steal(*worker)) {
    os::yield_to_kernel();
    return false;
  }
  save_thread_state(fiber, *worker);
  worker->note_turn();
  trace::emit<traced::slept>(*worker, fiber, trace::Reason::yield);
  to_native(*worker);
  // The loop takes seeds first after a yield, so that those who spin cannot starve those who have
  // not begun.
  worker->after_yield = true;
  worker = switch_context(worker, fiber.context, take_loop(*worker), requeue, &fiber);
  activate(fiber, *worker);
  trace::emit<traced::resumed>(*worker, fiber);
  return true;
}

void make_ready(Fiber& fiber) {
  if (fiber.holder && keep_if_kept(fiber)) return;
  Worker& worker = *fiber.worker;
  if (fiber.guest && wake_without_seat(fiber)) return;
  fiber.home_only = worker.is_home_of(fiber);
  const int pu = fiber.pin_pu >= 0 ? fiber.pin_pu : worker.pool->served_pu(fiber.pu, fiber.root);
  fiber.pinned = fiber.pin_pu >= 0;
  const bool only_there = fiber.home_only || fiber.pinned;
  Pool& pool = *worker.pool;
  trace::emit<traced::woken>(fiber, pool.pu_queue(pu));
  pool.pu_queue(pu).push_ready(fiber);  // from here on it may run, and end
  pool.wake_for(pu, only_there);
}

namespace {

void ready_after(Worker&, void* fiber) { make_ready(*static_cast<Fiber*>(fiber)); }

}  // namespace

// Between the look and the suspension its turn may come: then it is made ready at once.
void give_way(Fiber& fiber) {
  if (!fiber.holder->keeper() || fiber.pin_pu >= 0) return;
  std::atomic<bool>& asked = fiber.worker->asked_to_switch;
  if (fiber.holder->held()) {
    suspend(ready_after, &fiber, trace::Reason::turn);
  } else if (asked.load(std::memory_order_relaxed)) {
    asked.store(false, std::memory_order_relaxed);
    suspend(ready_after, &fiber, trace::Reason::yield);
  }
}

}  // namespace xylem::fiber
