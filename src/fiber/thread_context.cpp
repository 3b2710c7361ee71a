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

void thread_main(void* raw) {
  auto* stack = static_cast<Stack*>(raw);
  Gate& gate = *stack->gate;
  gate.native = os::describe_this_thread();
  switch (setjmp(gate.restart)) {
    case at_the_end:
      delete &gate;
      delete stack;
      return;
    case with_worker:
      break;
    default:
      wait_at(gate);
  }
  gate.fresh = false;
  stack->entry(take_over(gate), stack);
}

// After of a member: only now its thread is at rest, and may be handed the next one.
void finish_member(Worker&, void* raw) {
  const Work work = *static_cast<Work*>(raw);
  work.bubble->finished(*work.bubble, work.index);
}

// What a kept thread runs: the members that loops hand to it, one after the other.
void member_loop(Worker* worker, Stack* stack) {
  for (;;) {
    Work work = stack->gate->work;
    worker = run_member(worker, *work.bubble, work.index, stack);
    Context here{nullptr, stack};
    worker = switch_context(worker, here, take_loop(*worker), finish_member, &work);
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

Worker* run_on_kept_thread(Worker* worker, const Work& work, Stack* stack) {
  void*& kept = work.bubble->sticky_blocks[work.index % work.bubble->members];
  if (!kept) {
    kept = worker->pool->take_kept();
    if (!kept) {
      kept = fresh_context(worker->pool->stacks().acquire(), member_loop).stack;
    }
  }
  auto* member = static_cast<Stack*>(kept);
  member->gate->work = work;
  return resume_from_loop(worker, stack, {member, member});
}

void end_kept_thread(Stack* kept) { open_gate(*kept->gate, Handoff{}); }

}  // namespace xylem::fiber
