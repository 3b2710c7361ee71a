// Owns: PUs that are lent to other processes (a part of Pool): which of the process's workers sleep
// so that others' have a processor, until the monitor takes the PU back.
//
// A slot goes from awake to lent by its own worker, and from absent to lent by the monitor; from
// lent to parked, or absent, by the monitor alone, or back to awake by the worker that has just
// written lent and sees that the PU is not to be lent any more. Nobody else looks at a lent slot:
// it is not in idle_, and its queue's owner is away, so what is pushed there concerns anyone.
// Invariant: that of parking.cpp. Proof, by its numbers:
// - A worker that goes leaves as one that sleeps (2) and as one that has found work (3): it writes
//   `lent`, offers what stands in its queue, and then reads whether anything waits; if so it wakes
//   another, unless one searches. Who pushed before that read is seen; who pushes later finds an
//   owner that is away. A push in between, which was told to wake the owner, finds the slot lent,
//   and wakes another (wake_for).
// - The monitor that takes a slot back puts it to sleep for its worker: idle_, `parked`, then the
//   reads of 2.
// - to_lend = false, then a read of `state`, by the monitor; `state` = lent, then a read of
//   to_lend, by the worker: one of the two sees the other.
// That at least one worker is left that may run what waits is the caller's to see to.
#include "sched/queue/group.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

// A parked worker is woken to go: its sleep is the protocol of parking.cpp, which nobody breaks
// into.
void Pool::lend(int pu) {
  Slot& slot = this->slot(pu);
  if (!slot.to_lend.exchange(true)) lent_count_.fetch_add(1, std::memory_order_relaxed);
  SlotState seen = SlotState::absent;
  if (slot.state.load() == seen && slot.state.compare_exchange_strong(seen, SlotState::lent)) {
    leave_idle(pu);
    if (pu_queue(pu).owner_goes()) wake_for(pu, Concerns::anyone, nullptr);
    return;
  }
  each_worker(pu, [](Worker& worker) {
    if (!worker.extra) worker.asked_to_serve.store(Serve::lent, std::memory_order_relaxed);
  });
  wake_parked(pu);
}

void Pool::take_back(int pu) {
  Slot& slot = this->slot(pu);
  if (slot.to_lend.load() && slot.to_lend.exchange(false))
    lent_count_.fetch_sub(1, std::memory_order_relaxed);
  SlotState lent = SlotState::lent;
  if (slot.state.load() != lent) return;
  const bool has_worker = slot.worker.load(std::memory_order_acquire) != nullptr;
  idle_.set(machine_.pu_level(pu));
  // Who stops the pool may be sooner.
  if (!slot.state.compare_exchange_strong(lent, has_worker ? SlotState::parked : SlotState::absent))
    return;
  pu_queue(pu).owner_parks();
  if (pu_queue(pu).count() > 0 || stealable_.any()) wake_slot(pu, nullptr);
}

void Pool::rest_if_lent(Worker& worker) {
  Slot& slot = this->slot(worker.pu);
  if (worker.extra || !slot.to_lend.load()) return;
  trace::emit<traced::of_worker>(worker, trace::event("worker_asleep"));
  publish_private(worker.pu);
  slot.state.store(SlotState::lent);
  const bool left = worker.queue().owner_goes();
  if (left || anything_to_steal(worker)) wake_for(worker.pu, Concerns::anyone, nullptr);
  SlotState lent = SlotState::lent;
  const bool stays = !slot.to_lend.load() || stopping();
  if (!stays || !slot.state.compare_exchange_strong(lent, SlotState::awake)) sleep(worker);
  worker.woken = true;
}

bool Pool::move_waiting(int pu, int to) {
  RunQueue& queue = pu_queue(pu);
  if (queue.count() == 0) return true;
  EntityList fibers, seeds;
  queue.take_all_free(fibers, seeds);
  while (auto* fiber = static_cast<Fiber*>(fibers.front())) {
    fibers.remove(*fiber);
    const ExternalThread* initial = fiber->initial;
    wake_for(to, pu_queue(to).push_ready(*fiber), initial);
  }
  while (auto* range = static_cast<SeedRange*>(seeds.front())) {
    seeds.remove(*range);
    const ExternalThread* initial = range->bubble->initial;
    wake_for(to, pu_queue(to).push_fresh(*range), initial);
  }
  return !queue.holds_bound();
}

}  // namespace xylem::sched
