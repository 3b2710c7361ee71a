// Owns: kernel threads that are kept for members. See kept_threads.hpp.
#include "sched/worker/kept_threads.hpp"

#include "sched/worker/external_thread.hpp"
#include "sched/worker/parting.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// The kernel thread that it comes to may wait long for a processor, and the one that it leaves
// sleeps: the monitor is not to take the worker for one that is blocked.
void rest(Worker& worker) { worker.tid.store(0, std::memory_order_relaxed); }  // only a number

void leave(Worker& worker) {
  rest(worker);
  worker.show_thread(nullptr, 0);
}

// The worker goes on on the kernel thread that sleeps at the gate.
void adopt(Worker& worker, ThreadGate& gate) {
  worker.come_to(gate.native);
  worker.loop_block = worker.block_in_force = gate.native.block;
  worker.x87_exceptions = x87_exceptions_unknown;
  if (gate.of_external) return;
  worker.pool->bind_to_pu(worker.pu, gate.bound);
  part_if_asked(worker);
}

// AfterSwitch of a member: only now its thread is at rest, and may be handed the next one.
void finish_member(Worker&, void* raw) {
  const Work work = *static_cast<Work*>(raw);
  work.bubble->kind->finished(*work.bubble, work.index);
}

// The same of a solo worker: from the end of the member on it may be handed the next one, or end.
// The kernel thread stays its own.
Worker* finish_solo(Worker& worker, const Work& work, Stack* stack) {
  const int64_t spin_ns = worker.pool->spin_ns();
  rest(worker);
  work.bubble->kind->finished(*work.bubble, work.index);
  return wait_for_worker(*stack, spin_ns);
}

// What a kept thread runs: its members, one after the other.
void member_loop(Worker* worker, Stack* stack) {
  for (;;) {
    Work work = stack->gate->work;
    worker = run_member(worker, *work.bubble, work.index, stack);
    if (worker->solo) {
      worker = finish_solo(*worker, work, stack);
    } else {
      Context here{nullptr, stack};
      worker = switch_context(worker, here, take_loop(*worker), finish_member, &work);
    }
  }
}

Stack* make_kept_thread(Pool& pool, bool solo) {
  Stack* stack = fresh_context(pool.stacks().acquire(), member_loop).stack;
  if (solo) stack->gate->own = pool.make_solo();
  return stack;
}

}  // namespace

void switch_by_gates() { on_handover(leave, adopt); }

void make_kept_threads(Pool& pool, KeptMember* kept, int first, int end, bool solo) {
  for (int i = first; i < end; ++i)
    if (!kept[i].block) kept[i].block = make_kept_thread(pool, solo);
}

void start_solo(Bubble& bubble, int index, int pu) {
  Stack*& kept = kept_thread(bubble, index);
  if (!kept) kept = make_kept_thread(*bubble.initial->worker.pool, true);
  Worker& worker = *kept->gate->own;
  kept->gate->work = {nullptr, &bubble, index, false};
  if (worker.pu != pu) worker.pool->serve_alone(worker, pu);
  start_at(*kept, worker);
}

int pu_of_solo(const Bubble& bubble, int index) {
  return kept_thread(bubble, index)->gate->own->pu;
}

Context context_of(Worker& worker, const Work& work) {
  if (work.fiber) return work.fiber->context;
  if (!work.bubble || !work.bubble->on_kept_threads) {
    worker.in_hand = work;
    return take_loop(worker);
  }
  Stack*& kept = kept_thread(*work.bubble, work.index);
  if (!kept) kept = make_kept_thread(*worker.pool, false);
  kept->gate->work = work;
  return {kept, kept};
}

void end_kept_thread(Stack* kept) {
  // First, as the monitor reads the thread's memory.
  if (Worker* own = kept->gate->own) own->pool->end_solo(*own);
  end_thread_at(*kept->gate);
}

}  // namespace xylem::sched
