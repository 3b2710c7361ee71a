// Owns: how workers look for work, fall asleep and are woken (the second half of Pool).
//
// Named counters:
//   searching_   workers inside the spinning search of idle(), but for external threads
//   searching_external_  the external thread that is inside it; there is one at most, in PU 0's
//   slot count        of each run queue: entities inside state        of each slot: awake,
//   searching, parked, absent asleep_      at least the slots that are parked or absent
// Invariant: whenever an entity stands in a queue, either somebody awake or searching will look at
// that queue after the entity came, or a wake-up is on its way to somebody who will.
// Proof. A pusher increments count (RunQueue::push_*), then reads asleep_, the states and
// searching_ (wake_for). A worker about to sleep increments asleep_, writes state = parked,
// decrements searching_, then reads every count it may serve (stays_awake, by RunQueue::count). All
// of these are sequentially consistent, the reads too. In their single order either the increment
// of count comes before the worker's reads, and the worker finds the entity; or the worker's writes
// come before the pusher's reads: then the pusher sees one searcher less, and the worker's slot as
// parked. If the pusher sees no searcher at all it wakes a parked worker; if it sees some other
// searcher, the same argument holds for that one, and the searchers are finitely many. asleep_ is
// raised before a slot parks and lowered after the slot is woken, so that it is 0 only while no
// slot is parked: raised later, a waker could lower it for a slot that has not raised it yet, and
// hide another slot that sleeps. tests/model/parking.pml checks this by all interleavings. A
// searcher that finds something while it is the last one wakes another if more is there
// (end_search), so one wake-up may stand for many pushes. What only one worker may run (pinned, an
// external thread's fiber) wakes that worker's slot itself. What the search leaves to others for a
// moment (Worker::patient_until) it has found: the worker goes on searching. An external thread
// runs only what belongs to its own region. So it is no searcher, and not worth waking, for what
// belongs to another's: "searcher" and "parked worker" above mean those who may run the entity. A
// posted wake-up (address_waits.hpp) is an entity that does not stand in a queue yet: post_wake()
// is the pusher, nudge() reads the states, and Pool::find() reads has_posts() with the counts.
// nudge() cannot start a kernel thread, as it may be called in a signal handler: where no slot is
// parked it asks the monitor, which serves posts too.
#include <algorithm>
#include <utility>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

Work Pool::find(Worker& worker, Order order) {
  if (has_posts()) [[unlikely]]
    serve_posts();
  return settings_.find(worker, order);
}

Work Pool::ready_here(Worker& worker) {
  // Only started fibers: seeds need the loop's stack.
  return worker.queue().take_started(worker);
}

Work Pool::next_work(Worker& worker) {
  if (Work work = worker.private_queue.take()) return work;
  if (Fiber* fiber = worker.take_back()) return {fiber, nullptr, 0, false};
  const Order order = std::exchange(worker.next_look, Order::ready_first);
  if (Work work = find(worker, order)) return work;
  return worker.extra ? rest_as_extra(worker) : idle(worker);
}

Work Pool::idle(Worker& worker) {
  Slot& slot = this->slot(worker.pu);
  for (;;) {
    slot.state.store(SlotState::searching);
    begin_search(worker);
    trace::emit<traced::of_worker>(worker, trace::event("worker_searching"));
    const int64_t until = os::now_ns() + settings_.spin_ns;
    do {
      for (int turn = 0; turn < 32; ++turn) {
        if (Work work = find(worker, Order::ready_first)) {
          end_search(worker, slot);
          return work;
        }
        os::relax();
      }
    } while (os::now_ns() < std::max(until, worker.patient_until));
    Work work;
    if (stays_awake(worker, slot, work)) {
      if (work) return work;
      continue;
    }
    trace::emit<traced::of_worker>(worker, trace::event("worker_asleep"));
    sleep(worker);
    if (stopping()) return {nullptr, nullptr, 0, true};
  }
}

void Pool::stop() {
  stopping_.store(true);
  for (int pu = 0; pu < pu_count_; ++pu)
    if (slot(pu).state.load() != SlotState::absent) wake_slot(pu, nullptr);
  base::Locked locked(extras_lock_);
  for (Worker* worker = resting_; worker; worker = worker->next_in_list) {
    worker->wake_word.store(1, std::memory_order_release);  // pairs with sleep()
    os::futex_wake(&worker->wake_word, 1);
  }
  resting_ = nullptr;
  stacks_.end_threads();
  monitor_.end();
}

// Leaves the search with work in hand.
void Pool::end_search(Worker& worker, Slot& slot) {
  slot.state.store(SlotState::awake);
  trace::emit<traced::of_worker>(worker, trace::event("worker_awake"));
  if (leave_search(worker) && anything_to_steal(worker)) wake_any(worker.pu, nullptr);
}

void Pool::begin_search(const Worker& worker) {
  if (worker.external)
    searching_external_.store(worker.external);
  else
    searching_.fetch_add(1);
}

// True if it was the last one.
bool Pool::leave_search(const Worker& worker) {
  if (!worker.external) return searching_.fetch_sub(1) == 1 && !searching_external_.load();
  searching_external_.store(nullptr);
  return searching_.load() == 0;
}

// For what belongs to `initial`'s region.
bool Pool::someone_searches(const ExternalThread* initial) const {
  return searching_.load() > 0 || (initial && searching_external_.load() == initial);
}

// The last look before the worker sleeps. True if it is not to sleep: there is work, or something
// that it left to others for a moment.
bool Pool::stays_awake(Worker& worker, Slot& slot, Work& work) {
  asleep_.fetch_add(1);
  slot.state.store(SlotState::parked);
  leave_search(worker);
  work = find(worker, Order::ready_first);
  if (!work && stopping()) work.leave = true;
  if (!work && worker.patient_until <= os::now_ns()) return false;
  trace::emit<traced::of_worker>(worker, trace::event("worker_awake"));
  SlotState parked = SlotState::parked;
  if (slot.state.compare_exchange_strong(parked, SlotState::awake)) {
    asleep_.fetch_sub(1);
  } else {
    sleep(worker);  // a waker was faster: take its token, it is there or about to be
    if (anything_to_steal(worker)) wake_any(worker.pu, nullptr);
  }
  return true;
}

// Waits for the token of a waker, who has already turned the slot to awake.
void Pool::sleep(Worker& worker) {
  // acquire: pairs with the release in wake_slot() and add_extras()
  while (worker.wake_word.load(std::memory_order_acquire) == 0)
    os::futex_wait(&worker.wake_word, 0);
  worker.wake_word.store(0,
                         std::memory_order_relaxed);  // relaxed: only wakers of a parked slot write
}

// Also called in signal handlers: no lock, no memory.
bool Pool::wake_parked(Slot& slot) {
  SlotState seen = SlotState::parked;
  if (slot.state.load() != seen || !slot.state.compare_exchange_strong(seen, SlotState::awake))
    return false;
  asleep_.fetch_sub(1);
  Worker* worker = slot.worker.load(std::memory_order_acquire);
  worker->wake_word.store(1, std::memory_order_release);  // pairs with sleep()
  os::futex_wake(&worker->wake_word, 1);
  return true;
}

// The external thread of PU 0's slot is left alone if it may not run what belongs to `initial`.
// relaxed: who pushes for an external thread runs in that external thread's region, and has seen
// what the external thread wrote when it took the slot; if another external thread holds it, an old
// value leaves alone a slot that must be left alone.
bool Pool::wake_slot(int pu, const ExternalThread* initial) {
  Slot& slot = this->slot(pu);
  const ExternalThread* holder = slot.external.load(std::memory_order_relaxed);
  if (holder && initial && holder != initial) return false;
  if (wake_parked(slot)) return true;
  SlotState seen = slot.state.load();
  if (seen == SlotState::absent && pu != 0 &&
      slot.state.compare_exchange_strong(seen, SlotState::awake)) {
    asleep_.fetch_sub(1);
    return start_worker(pu);
  }
  return false;
}

void Pool::nudge() {
  if (asleep_.load() == 0 || searching_.load() > 0 || searching_external_.load()) return;
  for (int pu = 0; pu < pu_count_; ++pu)
    if (wake_parked(slot(pu))) return;
  monitor_.poke();
}

void Pool::wake_any(int near, const ExternalThread* initial) {
  for (int step = 0; step < pu_count_; ++step) {
    const int pu = near + step < pu_count_ ? near + step : near + step - pu_count_;
    if (wake_slot(pu, initial)) return;
  }
}

void Pool::wake_for(int pu, bool only_there, const ExternalThread* initial) {
  if (only_there) {
    wake_slot(pu, initial);
    return;
  }
  if (asleep_.load() == 0) return;
  if (wake_slot(pu, initial)) return;
  if (!someone_searches(initial)) wake_any(pu, initial);
}

// The lock of each_worker() is not held when they are shown.
void Pool::publish_private(int pu) {
  EntityList kept;
  each_worker(pu, [&kept](Worker& worker) {
    for (Entity* seeds = worker.private_queue.take_all(); seeds;) {
      Entity* next = seeds->next;
      kept.push_back(*seeds);
      seeds = next;
    }
    if (Fiber* fiber = worker.take_back()) kept.push_back(*fiber);
  });
  while (Entity* e = kept.front()) {
    kept.remove(*e);
    if (e->kind == EntityKind::fiber) {
      make_ready(*static_cast<Fiber*>(e));
    } else {
      auto& seeds = *static_cast<SeedRange*>(e);
      const ExternalThread* initial = seeds.bubble->initial;
      pu_queue(pu).push_fresh(seeds);  // where the trace has it already
      wake_for(pu, false, initial);
    }
  }
}

Work Pool::rest_as_extra(Worker& worker) {
  for (;;) {
    trace::emit<traced::of_worker>(worker, trace::event("extra_left"));
    {
      base::Locked locked(extras_lock_);
      std::atomic<Worker*>& list = slot(worker.pu).extras;
      Worker* before = nullptr;
      for (Worker* w = list.load(std::memory_order_relaxed); w != &worker; w = w->next_in_list)
        before = w;
      if (before) {
        before->next_in_list = worker.next_in_list;
      } else {
        list.store(worker.next_in_list, std::memory_order_relaxed);
      }
      worker.next_in_list = resting_;
      resting_ = &worker;
      if (stopping()) return {nullptr, nullptr, 0, true};
    }
    sleep(worker);
    if (stopping()) return {nullptr, nullptr, 0, true};
    bind_to_pu(worker.pu, worker.bound);
    trace::emit<traced::of_worker>(worker, trace::event("extra_worker"));
    if (Work work = find(worker, Order::ready_first)) return work;
  }
}

}  // namespace xylem::sched
