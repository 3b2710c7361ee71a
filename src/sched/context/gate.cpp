// Owns: kernel threads that sleep at their gates. See gate.hpp.
#include "sched/context/gate.hpp"

#include "base/relax.hpp"
#include "base/report.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"

namespace xylem::sched {

namespace {

constinit Leave leave = nullptr;
constinit Adopt adopt = nullptr;

constexpr int with_worker = 2, without_worker = 1;  // what a restart has
constexpr int at_the_end = 3;                       // or that there is none

void wait_at(ThreadGate& gate) {
  uint32_t seen = ThreadGate::closed;
  // acquire: pairs with the release in open_gate()
  if (gate.state.compare_exchange_strong(seen, ThreadGate::asleep, std::memory_order_acquire))
    while (gate.state.load(std::memory_order_acquire) == ThreadGate::asleep)
      os::futex_wait(&gate.state, ThreadGate::asleep);
  // relaxed: nobody opens it before it is at rest
  gate.state.store(ThreadGate::closed, std::memory_order_relaxed);
}

// Until it is open, or the time is over.
void spin_at(const ThreadGate& gate, int64_t spin_ns) {
  constexpr int turns_between_reads_of_clock = 64;
  const int64_t until = os::now_ns() + spin_ns;
  do {
    for (int turn = 0; turn < turns_between_reads_of_clock; ++turn) {
      if (gate.state.load(std::memory_order_relaxed) == ThreadGate::opened) return;
      base::relax();
    }
  } while (os::now_ns() < until);
}

void open_gate(ThreadGate& gate, const Handoff& handoff) {
  gate.incoming = handoff;
  // release: pairs with wait_at()
  const uint32_t before = gate.state.exchange(ThreadGate::opened, std::memory_order_release);
  if (before == ThreadGate::asleep) os::futex_wake(&gate.state, 1);
}

// The kernel thread has been handed a worker.
Worker* take_over(ThreadGate& gate) {
  const Handoff handoff = gate.incoming;
  if (handoff.left) handoff.left->sp = handoff.left->stack;  // at rest; where, its gate knows
  base::take_locks_over(gate.locks);
  adopt(*handoff.worker, gate);
  handoff.after(*handoff.worker, handoff.argument);
  return handoff.worker;
}

// Comes back when the thread has been handed a worker, to the frames that wait for that.
Worker* arrive_at(ThreadGate& gate) {
  wait_at(gate);
  if (!gate.incoming.worker) std::longjmp(gate.restart, at_the_end);
  if (gate.fresh) std::longjmp(gate.restart, with_worker);
  return take_over(gate);
}

void end_thread(Stack* stack) {
  delete stack->gate;
  delete stack;
}

void thread_main(void* raw) {
  auto* stack = static_cast<Stack*>(raw);
  ThreadGate& gate = *stack->gate;
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

}  // namespace

void on_handover(Leave when_it_leaves, Adopt when_it_arrives) {
  if (adopt) return;  // for a pool before, whose threads may still be ending
  leave = when_it_leaves;
  adopt = when_it_arrives;
}

Stack* make_thread_stack(size_t bytes, os::SignalMask mask) {
  auto* stack = new Stack;
  stack->gate = new ThreadGate;
  if (os::start_needed_thread(thread_main, stack, mask, bytes) != 0)
    base::fatal("cannot start a kernel thread for each OpenMP thread: lower their number");
  return stack;
}

void add_gate(Stack& own, bool of_external) {
  own.gate = new ThreadGate;
  own.gate->native = os::describe_this_thread();
  own.gate->of_external = of_external;
}

Worker* hand_over(const Handoff& handoff, Stack& from, Stack& to) {
  ThreadGate& mine = *from.gate;
  to.gate->locks = base::hand_over_locks();
  leave(*handoff.worker);
  open_gate(*to.gate, handoff);
  return arrive_at(mine);
}

void start_at(Stack& to, Worker& worker) {
  to.gate->locks = {};
  open_gate(*to.gate, {nullptr, &to, &worker, nothing_after, nullptr});
}

Worker* wait_for_worker(Stack& own, int64_t spin_ns) {
  spin_at(*own.gate, spin_ns);
  return arrive_at(*own.gate);
}

void hand_over_and_restart(const Handoff& handoff, Stack& from, Stack& to) {
  ThreadGate& mine = *from.gate;
  mine.left = {&from, &from};
  Handoff lasting = handoff;
  lasting.left = &mine.left;
  lasting.argument = &mine.left;
  to.gate->locks = base::hand_over_locks();
  leave(*handoff.worker);
  open_gate(*to.gate, lasting);
  std::longjmp(mine.restart, without_worker);
}

void end_thread_at(ThreadGate& gate) { open_gate(gate, Handoff{}); }

}  // namespace xylem::sched
