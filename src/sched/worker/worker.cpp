// Owns: switches between fibers and loops. See worker.hpp and fiber.hpp.
#include "sched/worker/worker.hpp"

#include <utility>

#include "base/check.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"
#include "sched/queue/group.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/home.hpp"
#include "sched/worker/hosting.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/solo.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/unit_queues.hpp"

extern "C" {
// The fiber that runs under the thread block in force. Reached by assembly only (fiber.hpp).
__attribute__((
    visibility("hidden"),
    tls_model("initial-exec"))) thread_local constinit xylem::sched::Fiber* xylem_current_fiber =
    nullptr;
}

namespace xylem::sched {

void Worker::serve(int its_pu) {
  pu = its_pu;
  own_queue = &pool->pu_queue(its_pu);
  draws = plan::Random(static_cast<uint64_t>(its_pu));
}

Work Worker::steal_from(RunQueue& victim, const Steal& how) {
  const bool waits = left_to_nearer == leaves_nothing;
  auto [work, rest, lifted] = victim.steal(*this, waits, how.rule, how.load_of);
  if (work) trace::emit<traced::stolen>(*this, work, rest, victim.level);
  while (auto* seeds = static_cast<SeedRange*>(lifted.front())) {
    lifted.remove(*seeds);
    trace::emit<traced::queued>(*this, *seeds, how.above);
    const ExternalThread* initial = seeds->bubble->initial;
    pool->wake_for(pu, how.above.push_fresh(*seeds), initial);
  }
  if (!rest) return work;
  const ExternalThread* initial = rest->bubble->initial;
  const Concerns whom = how.into.push_fresh(*rest);
  if (whom == Concerns::owner_asleep) pool->wake_for(pu, whom, initial);  // the thief is an extra
  return work;
}

// --- the kernel thread's state -------------------------------------------------------------------

namespace {

void put_in_force(Worker& worker, void* block) {
  if (worker.block_in_force == block) return;
  os::put_block_in_force(block, worker.native.block);
  worker.block_in_force = block;
}

// The fiber's block, or for the loop (null) its own. Nobody may be run under the block of a fiber
// that others can find.
void put_in_force_for(Worker& worker, const Fiber* next) {
  put_in_force(worker, next && next->block ? next->block : worker.loop_block);
}

// Where the fiber's errno and exceptions are in memory while it runs on `worker`; null if they are
// in a block that nobody else uses.
const os::NativeThread* shared_state(const Fiber& fiber, const Worker& worker) {
  return fiber.block ? nullptr : &worker.native;
}

}  // namespace

void to_loop_block(Worker& worker) { put_in_force(worker, worker.loop_block); }
void back_to_fiber_block(Worker& worker, const Fiber& fiber) { put_in_force(worker, fiber.block); }

void save_thread_state(Fiber& fiber, Worker& worker) {
  worker.record_fiber(nullptr, nullptr);
  fiber.x87_exceptions = worker.x87_exceptions = x87_exceptions();
  worker.current = nullptr;
  if (!fiber.block) set_current_fiber(nullptr);  // what runs here next is not the fiber's
  const os::NativeThread* state = shared_state(fiber, worker);
  if (!state) return;
  fiber.error_number = *state->errno_address;
  if (state->exceptions) fiber.exceptions = *state->exceptions;
}

void activate(Fiber& fiber, Worker& worker) {
  XYLEM_ASSERT(worker.may_run(fiber.initial), "an external thread's thread runs a foreign fiber");
  fiber.worker = &worker;
  fiber.pu = worker.pu;
  ++fiber.activations;
  worker.current = &fiber;
  worker.yielded_in_vain = 0;
  worker.record_fiber(fiber.group, fiber.time);
  put_in_force_for(worker, &fiber);
  uint16_t seen = std::exchange(worker.x87_exceptions, x87_exceptions_unknown);
  XYLEM_ASSERT(seen == x87_exceptions_unknown || seen == x87_exceptions(),
               "the x87 status word is not as the fiber before left it");
  if (seen == x87_exceptions_unknown) seen = x87_exceptions();
  if (seen != fiber.x87_exceptions) set_x87_exceptions(fiber.x87_exceptions);
  if (const os::NativeThread* state = shared_state(fiber, worker)) {
    *state->errno_address = fiber.error_number;
    if (state->exceptions) *state->exceptions = fiber.exceptions;
  }
  set_current_fiber(&fiber);
  if (fiber.held) [[unlikely]]
    stay_home(worker);
}

// --- the loop ------------------------------------------------------------------------------------

Context take_loop(Worker& worker) {
  if (worker.spare.sp) return std::exchange(worker.spare, Context{});
  return fresh_context(worker.pool->loop_stacks().acquire(), worker_loop);
}

namespace {

// AfterSwitch of a loop that left for a fiber, and of one that left for ever.
void keep_loop(Worker& worker, void* loop) { worker.spare = *static_cast<Context*>(loop); }

void release_loop(Worker& worker, void* raw) {
  const Context loop = *static_cast<Context*>(raw);
  worker.pool->release(loop);
}

// A member that runs on a stack which its team has set aside: the loop's own is too small.
struct Ended {
  Context here;
  Work work;
};

// AfterSwitch of a member that has ended. Its team may end with it, and gives the stack to others:
// so the stack goes first.
void release_ended(Worker& worker, void* raw) {
  const Ended ended = *static_cast<Ended*>(raw);
  worker.pool->release(ended.here);
  ended.work.bubble->kind->finished(*ended.work.bubble, ended.work.index);
}

[[noreturn]] void run_in_hand(Worker* worker, Stack* stack) {
  Ended ended{{nullptr, stack}, std::exchange(worker->in_hand, Work{})};
  worker = run_member(worker, *ended.work.bubble, ended.work.index, stack);
  leave_stack(worker, ended.here, take_loop(*worker), release_ended, &ended);
}

[[noreturn]] void leave_for_member(Worker& worker, const Work& work, Stack* stack) {
  worker.in_hand = work;
  Context here{nullptr, stack};
  leave_stack(&worker, here, fresh_context(worker.pool->stacks().acquire(), run_in_hand),
              release_loop, &here);
}

// Goes back to the kernel thread's own stack, where worker_thread() returns.
[[noreturn]] void end_worker(Worker& worker, Stack* stack) {
  to_loop_block(worker);
  give_blocks_back(worker);
  worker.pool->record_end(worker);
  if (worker.spare.stack) worker.pool->release(worker.spare);
  Context here{nullptr, stack};
  leave_stack(&worker, here, *worker.native_context, release_loop, &here);
}

Worker* run(Worker* worker, const Work& work, Stack* stack) {
  if (work.fiber) return resume_from_loop(worker, stack, work.fiber->context);
  if (work.bubble->on_kept_threads)
    return resume_from_loop(worker, stack, context_of(*worker, work));
  if (stack->loop_only) leave_for_member(*worker, work, stack);
  return run_seed(worker, *work.bubble, work.index, stack);
}

}  // namespace

Worker* resume_from_loop(Worker* worker, Stack* stack, Context to) {
  Context here{nullptr, stack};
  if (worker->spare.sp || worker->pool->stacks().limited())
    leave_stack(worker, here, to, release_loop, &here);
  return switch_context(worker, here, to, keep_loop, &here);
}

void worker_loop(Worker* worker, Stack* stack) {
  for (;;) {
    worker->current = nullptr;
    const Work work =
        worker->in_hand ? std::exchange(worker->in_hand, Work{}) : worker->pool->next_work(*worker);
    worker->record_turn();
    if (work.leave) end_worker(*worker, stack);
    worker = run(worker, work, stack);
  }
}

void worker_thread(void* raw) {
  auto* worker = static_cast<Worker*>(raw);
  worker->come_to(os::describe_this_thread());
  worker->loop_block = worker->block_in_force = worker->native.block;
  worker->pool->bind_to_pu(worker->pu, worker->bound);
  trace::emit<traced::arrived>(*worker);
  Stack native;
  if (base::sanitizer_reads_bounds) {  // libc allocates to find them
    const os::StackBounds bounds = os::native_stack();
    native.low = bounds.low;
    native.high = bounds.high;
  }
  base::sanitizer_adopt_this_thread(native.sanitizer);
  if (worker->pool->a_thread_each()) add_gate(native, false);
  Context left{nullptr, &native};
  worker->native_context = &left;
  // Only now: a thread that is stuck before this would make the monitor add others without end.
  if (worker->extra)
    worker->pool->slot(worker->pu).starting.fetch_sub(1, std::memory_order_relaxed);  // a count
  switch_context(worker, left, take_loop(*worker), nothing_after, nullptr);
}

// --- suspending ----------------------------------------------------------------------------------

namespace {

void stop_running(Fiber& fiber, Worker& worker, trace::Reason reason) {
  save_thread_state(fiber, worker);
  worker.record_turn();
  trace::emit<traced::slept>(worker, fiber, reason);
}

// The one way to leave a fiber for another context. The caller has put the thread block in force
// under which `after` is to run.
void leave_for(Context to, Fiber& fiber, AfterSwitch after, void* argument, trace::Reason reason) {
  stop_running(fiber, *fiber.worker, reason);
  Worker* worker = switch_context(fiber.worker, fiber.context, to, after, argument);
  activate(fiber, *worker);
  trace::emit<traced::resumed>(*worker, fiber);
}

}  // namespace

void suspend(AfterSwitch after, void* argument, trace::Reason reason) {
  Fiber& fiber = *current_fiber();
  Worker& worker = *fiber.worker;
  if (worker.solo) {
    stop_running(fiber, worker, reason);
    wait_alone(fiber, after, argument);
  } else if (may_host(worker, fiber)) {
    stop_running(fiber, worker, reason);
    Worker* arrived = host_loop(&worker, fiber, after, argument);
    activate(fiber, *arrived);
    trace::emit<traced::resumed>(*arrived, fiber);
  } else {
    suspend_elsewhere(after, argument, reason);
  }
}

void suspend_elsewhere(AfterSwitch after, void* argument, trace::Reason reason) {
  Fiber& fiber = *current_fiber();
  Worker& worker = *fiber.worker;
  // Posts are the loop's: the caller may hold a list's lock.
  const Work next = has_posts_for(worker) ? Work{} : worker.pool->ready_here(worker);
  put_in_force_for(worker, next.fiber);
  leave_for(next.fiber ? next.fiber->context : take_loop(worker), fiber, after, argument, reason);
}

namespace {

void go_on_last(Worker& worker, void* raw) {
  worker.back.store(static_cast<Fiber*>(raw), std::memory_order_release);  // pairs with take_back()
}

}  // namespace

void run_private() {
  Fiber& fiber = *current_fiber();
  to_loop_block(*fiber.worker);
  leave_for(take_loop(*fiber.worker), fiber, go_on_last, &fiber, trace::Reason::join);
}

// --- yielding ------------------------------------------------------------------------------------

namespace {

// A search costs as much as some tens of switches, and more the more PUs there are.
constexpr int yields_between_searches = 256;

void requeue(Worker& worker, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  worker.record_who_may_run(fiber);
  if (fiber.group && push_if_in_unit(fiber)) return;
  RunQueue& queue = worker.queue();
  trace::emit<traced::woken>(fiber, queue);
  const ExternalThread* initial = fiber.initial;
  const Concerns whom = queue.push_ready(fiber);  // from here on it may run, and end
  if (whom == Concerns::owner_asleep)
    worker.pool->wake_for(worker.pu, whom, initial);  // by an extra
}

void exchanged(Worker&, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  RunQueue& queue = *fiber.queue.load(std::memory_order_relaxed);  // relaxed: its lock is held
  trace::emit<traced::woken>(fiber, queue);
  queue.end_exchange();
}

// The fiber that stands first in the worker's own queue, and the caller stands in it now; null if
// the loop has to find out who is next.
Fiber* exchange_here(Worker& worker, Fiber& fiber) {
  if (worker.yields_until_search == 0) return nullptr;
  --worker.yields_until_search;
  if (!worker.private_queue.empty() || worker.has_back()) return nullptr;
  if (fiber.group && fiber.group->unit()) return nullptr;
  worker.record_who_may_run(fiber);
  return worker.queue().exchange(worker, fiber);
}

// Where a yield looks through the loop: seeds first, so that those who spin cannot starve those who
// have not begun; and from time to time, and where nothing waits here, what waits elsewhere, which
// nobody else may come to while all spin.
Order order_after_yield(Worker& worker) {
  if (worker.yields_until_search > 0 && worker.queue().count() > 0) return Order::fresh_first;
  worker.yields_until_search = yields_between_searches;
  return Order::elsewhere_first;
}

void record_vain_yield(Worker& worker) {
  worker.yielded_in_vain = monitor_ticks.load(std::memory_order_relaxed);  // see monitor_ticks
}

}  // namespace

bool yield() {
  Fiber& fiber = *current_fiber();
  if (has_posts_for(*fiber.worker)) [[unlikely]]
    serve_posts_for(*fiber.worker);
  scheduling_point(fiber);
  Worker& worker = *fiber.worker;
  if (worker.solo) {
    record_vain_yield(worker);
    os::yield_to_kernel();
    return false;
  }
  if (const Fiber* next = exchange_here(worker, fiber)) {
    put_in_force_for(worker, next);
    leave_for(next->context, fiber, exchanged, &fiber, trace::Reason::yield);
    return true;
  }
  if (!worker.has_waiting() && !worker.pool->anything_to_steal(worker)) {
    // Gangs may want a turn that no queue tells of (scheduling_point).
    if (!fiber.group) record_vain_yield(worker);
    os::yield_to_kernel();
    return false;
  }
  worker.next_search = order_after_yield(worker);
  to_loop_block(worker);
  leave_for(take_loop(worker), fiber, requeue, &fiber, trace::Reason::yield);
  return true;
}

namespace {

void ready_after(Worker&, void* fiber) { make_ready(*static_cast<Fiber*>(fiber)); }

// Whether it runs where its gang has no turn: as the maker of a gang that got another level, or in
// a gang that got another one. An external thread's fiber stays on its kernel thread.
bool is_off_its_level(const Fiber& fiber) {
  const Group& unit = *fiber.group->unit();
  const int level = unit.level.load(std::memory_order_relaxed);  // see keeps_to_level
  if (level <= 0 || fiber.external || !unit.keeps_to_level.load(std::memory_order_relaxed))
    return false;
  const Worker& worker = *fiber.worker;
  const topo::Level& its = worker.pool->machine().levels()[static_cast<size_t>(level)];
  return worker.pu < its.first_pu || worker.pu >= its.first_pu + its.pu_count;
}

// Between the poll and the suspension its turn may come: then it is made ready at once.
void give_way_to_unit(Fiber& fiber) {
  if (!fiber.group->unit() || fiber.pin_pu >= 0) return;
  std::atomic<bool>& asked = fiber.worker->asked_to_switch;
  if (fiber.group->is_suspended() || is_off_its_level(fiber)) {
    suspend(ready_after, &fiber, trace::Reason::turn);
  } else if (asked.load(std::memory_order_relaxed)) {
    asked.store(false, std::memory_order_relaxed);
    suspend(ready_after, &fiber, trace::Reason::yield);
  }
}

// The loop does what was asked, and the fiber waits in the queue meanwhile.
void give_way_to_oldest(Fiber& fiber) {
  if (fiber.worker->solo) return;
  to_loop_block(*fiber.worker);
  leave_for(take_loop(*fiber.worker), fiber, requeue, &fiber, trace::Reason::yield);
}

}  // namespace

void give_way(Fiber& fiber) {
  if (fiber.group) give_way_to_unit(fiber);
  if (fiber.worker->asked_to_serve.load(std::memory_order_relaxed) != Serve::none)
    give_way_to_oldest(fiber);
}

}  // namespace xylem::sched
