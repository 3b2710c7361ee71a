// Owns: kernel threads that are kept for members. See kept_threads.hpp.
#include "sched/worker/kept_threads.hpp"

#include "os/thread.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// The kernel thread that it comes to may wait long for a processor, and the one that it leaves
// sleeps: the monitor is not to take the worker for one that is blocked.
void leave(Worker& worker) { worker.tid.store(0, std::memory_order_relaxed); }  // only a number

// The worker goes on on the kernel thread that sleeps at the gate.
void adopt(Worker& worker, ThreadGate& gate) {
  worker.native = gate.native;
  worker.loop_block = worker.block_in_force = gate.native.block;
  worker.tid.store(gate.native.tid, std::memory_order_relaxed);  // relaxed: only a number
  if (!gate.of_external) worker.pool->bind_to_pu(worker.pu, gate.bound);
}

// --- a kernel thread that runs its worker's loop ------------------------------------------------
//
// Between its members, and while its fiber waits, a kernel thread goes on as the loop of the worker
// it is on, its host. What only this thread can run, only the host may take: it would else be
// handed over by others while it is awake. Whoever makes such a thing ready wakes the host's slot.
// Where its PU is lent to another process the thread leaves the loop, too: what it alone could run
// would wait with it. When the thread leaves the loop for other work, the arriving side ends the
// claim, and looks whether something came meanwhile that others have left alone: they are told. Of
// the two, the one who queues (count, then host) and the one who ends the claim (host, then count),
// one sees the other.

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

void tell_others(const Worker& worker, const ExternalThread* initial) {
  if (worker.queue().count() == 0) return;
  worker.queue().offer();
  worker.pool->wake_for(worker.pu, Concerns::anyone, initial);
}

// AfterSwitch of a fiber that leaves the loop.
void unhost_fiber(Worker& worker, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  const ExternalThread* initial = fiber.initial;
  fiber.host.store(nullptr);  // from here on it may run elsewhere, and end
  tell_others(worker, initial);
}

void host_thread(ThreadGate& gate, Worker& worker) {
  gate.end.fetch_or(ThreadGate::hosted);
  gate.host.store(&worker);
}

// True if the thread is to end.
bool take_host_away(ThreadGate& gate) {
  gate.host.store(nullptr);  // from here on it may run its next member elsewhere
  return (gate.end.fetch_and(~ThreadGate::hosted) & ThreadGate::asked_to_end) != 0;
}

// AfterSwitch of a member's thread that leaves the loop.
void unhost_thread(Worker& worker, void* raw) {
  auto& gate = *static_cast<ThreadGate*>(raw);
  const ExternalThread* initial = gate.initial;
  if (take_host_away(gate)) end_thread_at(gate);
  tell_others(worker, initial);
}

// AfterSwitch of a member: only now its thread is at rest, and may be handed the next one.
void finish_member(Worker&, void* raw) {
  const Work work = *static_cast<Work*>(raw);
  work.bubble->kind->finished(*work.bubble, work.index);
}

// The member's thread has nothing to run: it serves the worker until its next member comes.
Worker* serve_as_loop(Worker* worker, const Work& ended, Stack* stack) {
  ThreadGate& gate = *stack->gate;
  gate.initial = ended.bubble->initial;
  host_thread(gate, *worker);
  ended.bubble->kind->finished(*ended.bubble, ended.index);  // the bubble may be gone
  const Work work = worker->pool->next_work_hosted(*worker);
  worker->record_turn();
  if (work.bubble && work.bubble->on_kept_threads &&
      kept_thread(*work.bubble, work.index) == stack) {
    take_host_away(gate);  // nobody asks it to end while it has members to run
    gate.work = work;
    return worker;
  }
  Context here{nullptr, stack};
  return switch_context(worker, here, context_for(*worker, work), unhost_thread, &gate);
}

// Only members whose seeds are given to a PU each (place/placing.cpp). Extra workers come and go:
// they are not served. External threads run members whose PU is lent, and serve themselves.
bool may_serve(const Worker& worker, const Work& ended) {
  return !worker.extra && !worker.external && !ended.bubble->group &&
         !worker.pool->is_to_be_lent(worker.pu) &&
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

void switch_by_gates() { on_handover(leave, adopt); }

bool may_host(const Worker& worker, const Fiber& fiber) {
  return worker.pool->a_thread_each() && !worker.extra && !fiber.group &&
         !worker.pool->is_to_be_lent(worker.pu) &&
         (fiber.pin_pu < 0 || fiber.pin_pu == worker.pu) &&
         (!fiber.external || fiber.external == worker.external);
}

Worker* host_loop(Worker* worker, Fiber& fiber, AfterSwitch after, void* argument) {
  fiber.host.store(worker);
  worker->current = nullptr;
  after(*worker, argument);
  const Work work = worker->pool->next_work_hosted(*worker);
  worker->record_turn();
  if (work.fiber != &fiber)
    worker =
        switch_context(worker, fiber.context, context_for(*worker, work), unhost_fiber, &fiber);
  fiber.host.store(nullptr);
  return worker;
}

int pu_of_kept_thread(const Bubble& bubble, int index) {
  const Stack* kept = kept_thread(bubble, index);
  const Taker* host = kept ? kept->gate->host.load() : nullptr;
  return host ? host->pu : -1;
}

void make_kept_threads(Pool& pool, void** kept, int first, int end) {
  for (int i = first; i < end; ++i)
    if (!kept[i]) kept[i] = fresh_context(pool.stacks().acquire(), member_loop).stack;
}

Worker* run_on_kept_thread(Worker* worker, const Work& work, Stack* stack) {
  return resume_from_loop(worker, stack, context_for(*worker, work));
}

void end_kept_thread(Stack* kept) {
  ThreadGate& gate = *kept->gate;
  if ((gate.end.fetch_or(ThreadGate::asked_to_end) & ThreadGate::hosted) == 0) end_thread_at(gate);
}

}  // namespace xylem::sched
