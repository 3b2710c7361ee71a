// Owns: kernel threads as contexts. See thread_context.hpp.
#include "fiber/thread_context.hpp"

#include "base/report.hpp"
#include "fiber/pool.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"

namespace xylem::fiber {

namespace {

constexpr int with_worker = 2, without_worker = 1;  // what a restart has
constexpr int at_the_end = 3;                       // or that there is none

void wait_at(Gate& gate) {
  // acquire: pairs with the release in open_gate()
  while (gate.open.load(std::memory_order_acquire) == 0) os::futex_wait(&gate.open, 0);
  gate.open.store(0, std::memory_order_relaxed);  // relaxed: nobody opens it before it is at rest
}

void open_gate(Gate& gate, const Handoff& handoff) {
  gate.incoming = handoff;
  gate.open.store(1, std::memory_order_release);  // pairs with wait_at()
  os::futex_wake(&gate.open, 1);
}

// The kernel thread has been handed a worker.
Worker* take_over(Gate& gate) {
  const Handoff handoff = gate.incoming;
  Worker& worker = *handoff.worker;
  handoff.left->sp = handoff.left->stack;  // at rest; where, its own gate knows
  worker.native = gate.native;
  worker.loop_block = worker.block_in_force = gate.native.block;
  worker.tid.store(gate.native.tid, std::memory_order_relaxed);  // relaxed: only a number
  if (!gate.of_guest) worker.pool->bind_to_pu(worker.pu, gate.bound);
  handoff.after(worker, handoff.argument);
  return &worker;
}

void end_thread(Stack* stack) {
  delete stack->gate;
  delete stack;
}

void thread_main(void* raw) {
  auto* stack = static_cast<Stack*>(raw);
  Gate& gate = *stack->gate;
  gate.native = os::describe_this_thread();
  switch (setjmp(gate.restart)) {
    case at_the_end:
      return end_thread(stack);
    case with_worker:
      break;
    default:
      wait_at(gate);
      if (!gate.incoming.worker) return end_thread(stack);
  }
  gate.fresh = false;
  stack->entry(take_over(gate), stack);
}

// --- a kernel thread that runs its worker's loop ------------------------------------------------
//
// Between its members, and while its fiber waits, a kernel thread goes on as the loop of the worker
// it is on, its host. What only this thread can run, only the host may take: it would else be
// handed over by others while it is awake. Whoever makes such a thing ready wakes the host's seat.
// When the thread leaves the loop for other work, the arriving side ends the claim, and looks
// whether something came meanwhile that others have left alone: they are told. Of the two, the one
// who queues (count, then host) and the one who ends the claim (host, then count), one sees the
// other.

Stack*& kept_thread(const Bubble& bubble, int index) {
  return reinterpret_cast<Stack*&>(bubble.sticky_blocks[index % bubble.members]);
}

void member_loop(Worker* worker, Stack* stack);

// Where the work goes on: on the fiber's stack, on the member's kernel thread, or in a loop.
Context context_for(Worker& worker, const Work& work) {
  if (work.fiber) return work.fiber->context;
  if (!work.bubble || !work.bubble->on_kept_threads) {
    worker.in_hand = work;
    return take_loop(worker);
  }
  Stack*& kept = kept_thread(*work.bubble, work.index);
  if (!kept) kept = fresh_context(worker.pool->stacks().acquire(), member_loop).stack;
  kept->gate->work = work;
  return {kept, kept};
}

void tell_others(const Worker& worker, const Guest* root) {
  if (worker.queue().count() > 0) worker.pool->wake_for(worker.pu, false, root);
}

// After of a fiber that leaves the loop.
void unhost_fiber(Worker& worker, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  const Guest* root = fiber.root;
  fiber.host.store(nullptr);  // from here on it may run elsewhere, and end
  tell_others(worker, root);
}

void host_thread(Gate& gate, Worker& worker) {
  gate.end.fetch_or(Gate::hosted);
  gate.host.store(&worker);
}

// True if the thread is to end.
bool take_host_away(Gate& gate) {
  gate.host.store(nullptr);  // from here on it may run its next member elsewhere
  return (gate.end.fetch_and(~Gate::hosted) & Gate::asked_to_end) != 0;
}

// After of a member's thread that leaves the loop.
void unhost_thread(Worker& worker, void* raw) {
  auto& gate = *static_cast<Gate*>(raw);
  const Guest* root = gate.root;
  if (take_host_away(gate)) open_gate(gate, Handoff{});
  tell_others(worker, root);
}

// After of a member: only now its thread is at rest, and may be handed the next one.
void finish_member(Worker&, void* raw) {
  const Work work = *static_cast<Work*>(raw);
  work.bubble->finished(*work.bubble, work.index);
}

// The member's thread has nothing to run: it serves the worker until its next member comes.
Worker* serve_as_loop(Worker* worker, const Work& ended, Stack* stack) {
  Gate& gate = *stack->gate;
  gate.root = ended.bubble->root;
  host_thread(gate, *worker);
  ended.bubble->finished(*ended.bubble, ended.index);  // the bubble may be gone
  const Work work = worker->pool->next_work(*worker);
  worker->note_turn();
  if (work.bubble && work.bubble->on_kept_threads &&
      kept_thread(*work.bubble, work.index) == stack) {
    take_host_away(gate);  // nobody asks it to end while it has members to run
    gate.work = work;
    return worker;
  }
  Context here{nullptr, stack};
  return switch_context(worker, here, context_for(*worker, work), unhost_thread, &gate);
}

// Only members whose seeds are given to a PU each (Engine::distribute_on_threads). Extra workers
// come and go: they are not served.
bool may_serve(const Worker& worker, const Work& ended) {
  return !worker.extra && !ended.bubble->holder &&
         ended.index % ended.bubble->members < worker.pool->pu_count();
}

// What a kept thread runs: the members that loops hand to it, one after the other.
void member_loop(Worker* worker, Stack* stack) {
  for (;;) {
    Work work = stack->gate->work;
    worker = run_member(worker, *work.bubble, work.index, stack);
    if (may_serve(*worker, work)) {
      worker = serve_as_loop(worker, work, stack);
    } else {
      Context here{nullptr, stack};
      worker = switch_context(worker, here, take_loop(*worker), finish_member, &work);
    }
  }
}

}  // namespace

Stack* make_thread_stack(size_t bytes, os::SignalMask mask) {
  auto* stack = new Stack;
  stack->gate = new Gate;
  if (os::start_needed_thread(thread_main, stack, mask, bytes) != 0)
    base::fatal("cannot start a kernel thread for each OpenMP thread: lower their number");
  return stack;
}

void add_gate(Stack& own, bool of_guest) {
  if (!own.gate) own.gate = new Gate;
  own.gate->native = os::describe_this_thread();
  own.gate->of_guest = of_guest;
}

Worker* hand_over(const Handoff& handoff, Stack& from, Stack& to) {
  Gate& mine = *from.gate;
  open_gate(*to.gate, handoff);
  wait_at(mine);
  if (!mine.incoming.worker) std::longjmp(mine.restart, at_the_end);
  if (mine.fresh) std::longjmp(mine.restart, with_worker);
  return take_over(mine);
}

void hand_over_and_restart(const Handoff& handoff, Stack& from, Stack& to) {
  Gate& mine = *from.gate;
  mine.left = {&from, &from};
  Handoff lasting = handoff;
  lasting.left = &mine.left;
  lasting.argument = &mine.left;
  open_gate(*to.gate, lasting);
  std::longjmp(mine.restart, without_worker);
}

bool may_host(const Worker& worker, const Fiber& fiber) {
  return worker.pool->a_thread_each() && !worker.extra && !fiber.holder &&
         (fiber.pin_pu < 0 || fiber.pin_pu == worker.pu) &&
         (!fiber.guest || fiber.guest == worker.guest);
}

Worker* host_loop(Worker* worker, Fiber& fiber, After after, void* argument) {
  fiber.host.store(worker);
  worker->current = nullptr;
  after(*worker, argument);
  const Work work = worker->pool->next_work(*worker);
  worker->note_turn();
  if (work.fiber != &fiber)
    worker =
        switch_context(worker, fiber.context, context_for(*worker, work), unhost_fiber, &fiber);
  fiber.host.store(nullptr);
  return worker;
}

bool may_use_kept_thread(const Worker& worker, const Bubble& bubble, int index) {
  const Stack* kept = kept_thread(bubble, index);
  const Worker* host = kept ? kept->gate->host.load() : nullptr;
  return !host || host == &worker;
}

int pu_of_kept_thread(const Bubble& bubble, int index) {
  const Stack* kept = kept_thread(bubble, index);
  const Worker* host = kept ? kept->gate->host.load() : nullptr;
  return host ? host->pu : -1;
}

void make_kept_threads(Pool& pool, void** kept, int first, int end) {
  for (int i = first; i < end; ++i)
    if (!kept[i]) kept[i] = fresh_context(pool.stacks().acquire(), member_loop).stack;
}

Worker* run_on_kept_thread(Worker* worker, const Work& work, Stack* stack) {
  return resume_from_loop(worker, stack, context_for(*worker, work));
}

void end_free_thread(Stack* stack) { open_gate(*stack->gate, Handoff{}); }

void end_kept_thread(Stack* kept) {
  Gate& gate = *kept->gate;
  if ((gate.end.fetch_or(Gate::asked_to_end) & Gate::hosted) == 0) open_gate(gate, Handoff{});
}

}  // namespace xylem::fiber
