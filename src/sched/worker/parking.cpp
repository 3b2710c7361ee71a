// Owns: how workers look for work, fall asleep and are woken (the second half of Pool).
//
// Named sets and counters:
//   count of each run queue: entities inside
//   owner of each PU's queue, under its lock: away, looking, parked, woken (run_queue.hpp)
//   state of each slot: awake, searching, parked, absent, broken
//   stealable_: the levels in whose queues something may wait that others may take (LevelBits)
//   idle_: the PUs whose slot is parked or absent, and perhaps others (LevelBits)
//   searching_: workers that look for work and have announced it, but for external threads
//   searching_external_: the external thread that has; there is one at most, in PU 0's slot
// Invariant: whenever an entity stands in a queue, either somebody awake will look at that queue
// after the entity came, or a wake-up is on its way to somebody who will.
// Proof. What happens under a queue's lock is one step; all else named here is sequentially
// consistent.
//
// 1. An entity comes to the queue of a PU whose owner may run it and is
//    looking: the owner looks once more, or goes (see 3), or parks and then looks at its queue;
//    parked: who pushed is the only one to be told so, and wakes the owner;
//    woken: that wake-up is on its way, or the owner has not come round to its queue yet.
// 2. Else, and for what stands in a queue of a level, who pushed puts the level into stealable_,
//    and then reads idle_, the states and searching_ (wake_for). A worker about to sleep puts its
//    PU into idle_, writes state = parked, decrements searching_ if it had announced itself, then
//    reads stealable_, and the counts of its own queue and those above. In the single order
//    either the level comes into stealable_ before the worker reads it, and the worker finds the
//    entity; or the worker's writes come before the pusher's reads: then the pusher sees one
//    searcher less, and the slot as parked. If the pusher sees no searcher it wakes a parked
//    worker; if it sees some other one, the same holds for that, and searchers are finitely many.
// 3. A worker that was relied on - it had announced its search, or was woken - and finds something
//    looks whether there is more, and if no worker searches wakes one (hand_on). So one wake-up may
//    stand for many pushes. An owner that goes while something stands in its queue puts the level
//    into stealable_, and wakes as a pusher.
// 4. A waker takes the PU out of idle_ before it gives the token: the worker may put it in again.
// 5. Who takes a member out of a set may hide another one for a moment; LevelBits::clear() says so,
//    and then somebody is woken for those who looked meanwhile: by retract(), by leave_idle(), and
//    for nudge(), which may not, by the worker that has the token.
// tests/model/parking.pml checks 1 to 4, tests/model/level_bits.pml 5, by all interleavings.
//
// What only one worker may run (pinned, an external thread's fiber) concerns that worker alone.
// What the search leaves to others for a moment (Worker::backoff_until) it has found: the worker
// goes on searching. What it leaves to nearer ones, or to who has a queue's lock, while it looks
// again and again (Worker::left_to_nearer), it has not: its last poll before it sleeps waits for
// locks and leaves nothing. An external thread runs only what belongs to its own region. So it is
// no searcher, no owner that polls, and not worth waking, for what belongs to another's.
//
// A posted wake-up (address_waits.hpp) is an entity that does not stand in a queue yet: post_wake()
// is the pusher, nudge() reads the states, and Pool::find() reads has_posts() with the counts.
// nudge() cannot start a kernel thread, as it may be called in a signal handler: where no slot is
// parked it asks the monitor, which serves posts too.
#include <algorithm>
#include <utility>

#include "base/relax.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/gathering.hpp"
#include "sched/worker/parting.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

Work Pool::find(Worker& worker, Order order) {
  if (has_posts_for(worker)) [[unlikely]]
    serve_posts_for(worker);
  return settings_.find(worker, order);
}

Work Pool::ready_here(Worker& worker) {
  // Only started fibers: seeds need the loop's stack.
  return worker.queue().take_started(worker);
}

namespace {

// Of the levels that the PU is in, and of the units attached there.
Work take_oldest_above(Worker& worker, Serve what) {
  Work work;
  Pool& pool = *worker.pool;
  const auto levels = pool.machine().levels();
  const int own = pool.machine().pu_level(worker.pu);
  for (int level = own; level >= 0 && !work; level = levels[static_cast<size_t>(level)].parent) {
    work = pool.take_oldest_attached(level, worker, what);
    if (!work && level != own) work = pool.level_queue(level).take_oldest(worker, what);
  }
  return work;
}

Work take_oldest(Worker& worker, Serve what) {
  if (what == Serve::fiber_above) return take_oldest_above(worker, Serve::fiber);
  if (what == Serve::seed_above) return take_oldest_above(worker, Serve::seed);
  return worker.queue().take_oldest(worker, what);
}

}  // namespace

// By the monitor, now and then: next_work() makes no call for it while nothing is asked.
[[gnu::cold]] Work Pool::do_as_asked(Worker& worker) {
  const Serve asked = worker.asked_to_serve.load(std::memory_order_relaxed);  // relaxed: see there
  if (asked == Serve::lent && worker.hosted) return {};  // left to the worker's own loop
  worker.asked_to_serve.store(Serve::none, std::memory_order_relaxed);
  rest_if_lent(worker);
  return asked == Serve::lent ? Work{} : take_oldest(worker, asked);
}

Work Pool::next_work(Worker& worker) {
  // relaxed: see there
  if (worker.asked_to_serve.load(std::memory_order_relaxed) != Serve::none) [[unlikely]]
    if (Work work = do_as_asked(worker)) return work;
  if (Work work = worker.private_queue.take()) return work;
  if (Fiber* fiber = worker.take_back()) return {fiber, nullptr, 0, false};
  const Order order = std::exchange(worker.next_search, Order::ready_first);
  if (!worker.woken)
    if (Work work = find(worker, order)) return work;
  return worker.extra ? rest_as_extra(worker) : idle(worker);
}

Work Pool::next_work_hosted(Worker& worker) {
  if (is_to_be_lent(worker.pu)) return {};
  worker.hosted = true;
  const Work work = next_work(worker);
  worker.hosted = false;
  return work;
}

Work Pool::idle(Worker& worker) {
  const Work work = sleep_until_found(worker);
  if (settings_.runs_again && work) settings_.runs_again(*this, worker.pu);
  return work;
}

Work Pool::sleep_until_found(Worker& worker) {
  Slot& slot = this->slot(worker.pu);
  for (;;) {
    worker.queue().owner_searches();
    slot.state.store(SlotState::searching);
    trace::emit<traced::of_worker>(worker, trace::event("worker_searching"));
    bool announced = false;
    Work work = search_for(worker, announced);
    if (work) {
      end_search(worker, slot, announced);
      return work;
    }
    if (stays_awake(worker, slot, announced, work)) {
      if (work) return work;
      continue;
    }
    trace::emit<traced::of_worker>(worker, trace::event("worker_asleep"));
    if (settings_.falls_asleep) settings_.falls_asleep(*this, worker.pu);
    sleep(worker);
    worker.woken = true;
    if (worker.hosted && is_to_be_lent(worker.pu)) return {};
    rest_if_lent(worker);
    if (stopping()) return {nullptr, nullptr, 0, true};
  }
}

// Who looks for a moment only, as between two regions, does not announce it: all would write one
// line.
Work Pool::search_for(Worker& worker, bool& announced) {
  const int64_t begin = os::now_ns();
  const int64_t spin = spin_ns();
  const int64_t until = begin + spin;
  int64_t now = begin;
  worker.left_to_nearer = 0;
  do {
    for (int turn = 0; turn < 32; ++turn) {
      if (Work work = find(worker, Order::ready_first)) {
        worker.left_to_nearer = Worker::leaves_nothing;
        return work;
      }
      base::relax();
    }
    now = os::now_ns();
    if (!announced && now - begin > spin / 4) {
      begin_search(worker);
      announced = true;
    }
  } while (now < std::max(until, worker.backoff_until));
  worker.left_to_nearer = Worker::leaves_nothing;
  return {};
}

void Pool::stop() {
  stopping_.store(true);
  for (int pu = 0; pu < pu_count_; ++pu) {
    take_back(pu);
    if (slot(pu).state.load() != SlotState::absent) wake_slot(pu, nullptr);
  }
  base::Locked locked(extras_lock_);
  for (Worker* worker = resting_; worker; worker = worker->next_in_list) give_token(*worker, false);
  resting_ = nullptr;
  stacks_.end_threads();
  monitor_.end();
}

// Leaves the search with work in hand.
void Pool::end_search(Worker& worker, Slot& slot, bool announced) {
  slot.state.store(SlotState::awake);
  trace::emit<traced::of_worker>(worker, trace::event("worker_awake"));
  if (announced) leave_search(worker);
  hand_on(worker, announced || worker.woken);
}

// From here on the worker runs what it has found. Others are to look at what waits in its own
// queue; and at all the rest, if somebody may have relied on this one and no worker searches.
void Pool::hand_on(Worker& worker, bool relied_on) {
  worker.woken = false;
  const bool others = worker.queue().owner_goes();
  if (others || (relied_on && searching_.load() == 0 && anything_to_steal(worker)))
    wake_for(worker.pu, Concerns::anyone, nullptr);
}

void Pool::begin_search(const Worker& worker) {
  if (worker.external)
    searching_external_.store(worker.external);
  else
    searching_.fetch_add(1);
}

void Pool::leave_search(const Worker& worker) {
  if (worker.external)
    searching_external_.store(nullptr);
  else
    searching_.fetch_sub(1);
}

// For what belongs to `initial`'s region.
bool Pool::someone_searches(const ExternalThread* initial) const {
  return searching_.load() > 0 || (initial && searching_external_.load() == initial);
}

// The last poll before the worker sleeps. True if it is not to sleep: there is work, or something
// that it left to others for a moment.
bool Pool::stays_awake(Worker& worker, Slot& slot, bool announced, Work& work) {
  idle_.set(machine_.pu_level(worker.pu));
  slot.state.store(SlotState::parked);
  worker.queue().owner_parks();
  if (announced) leave_search(worker);
  work = find(worker, Order::ready_first);
  if (!work && stopping()) work.leave = true;
  if (!work && worker.backoff_until <= os::now_ns()) return false;
  trace::emit<traced::of_worker>(worker, trace::event("worker_awake"));
  SlotState parked = SlotState::parked;
  if (slot.state.compare_exchange_strong(parked, SlotState::awake)) {
    leave_idle(worker.pu);
  } else {
    sleep(worker);  // a waker was faster: take its token, it is there or about to be
    worker.woken = true;
  }
  if (work) hand_on(worker, announced || worker.woken);
  return true;
}

namespace {
// The tokens of Worker::wake_word.
constexpr uint32_t no_token = 0;
constexpr uint32_t token = 1;
constexpr uint32_t token_and_one_hidden = 2;
}  // namespace

void Pool::give_token(Worker& worker, bool one_hidden) {
  // release: pairs with sleep()
  worker.wake_word.store(one_hidden ? token_and_one_hidden : token, std::memory_order_release);
  const RunStandsStill waking(has_waited);
  os::futex_wake(&worker.wake_word, 1);
}

// Waits for the token of a waker, who has already turned the slot to awake.
void Pool::sleep(Worker& worker) {
  worker.rests.fetch_add(1);
  uint32_t given;
  // acquire: pairs with give_token()
  while ((given = worker.wake_word.load(std::memory_order_acquire)) == no_token)
    os::futex_wait(&worker.wake_word, no_token);
  worker.rests.fetch_add(1);
  part_if_asked(worker);
  // relaxed: only wakers of a parked slot write
  worker.wake_word.store(no_token, std::memory_order_relaxed);
  if (given == token_and_one_hidden) wake_hidden(worker.pu);
}

// Also called in signal handlers: no lock, no memory, no kernel thread. The PU is taken out of
// idle_ before its worker has the token and may put it in again.
bool Pool::wake_parked(int pu) {
  Slot& slot = this->slot(pu);
  SlotState seen = SlotState::parked;
  if (slot.state.load() != seen || !slot.state.compare_exchange_strong(seen, SlotState::awake))
    return false;
  const bool one_hidden = idle_.clear(machine_.pu_level(pu));
  give_token(*slot.worker.load(std::memory_order_acquire), one_hidden);
  return true;
}

// The slot is awake.
void Pool::leave_idle(int pu) {
  if (idle_.clear(machine_.pu_level(pu))) wake_hidden(pu);
}

// An idle PU was hidden for a moment from a pusher who looked for one.
void Pool::wake_hidden(int near) {
  if (stealable_.any()) wake_any(near, nullptr);
}

// The external thread of PU 0's slot is left alone if it may not run what belongs to `initial`.
// relaxed: who pushes for an external thread runs in that external thread's region, and has seen
// what the external thread wrote when it took the slot; if another external thread holds it, an old
// value leaves alone a slot that must be left alone.
bool Pool::wake_slot(int pu, const ExternalThread* initial) {
  Slot& slot = this->slot(pu);
  const ExternalThread* holder = slot.external.load(std::memory_order_relaxed);
  if (holder && initial && holder != initial) return false;
  return wake_parked(pu) || start_absent(pu);
}

// PU 0's first worker is an external thread.
bool Pool::start_absent(int pu) {
  Slot& slot = this->slot(pu);
  SlotState seen = SlotState::absent;
  if (pu == 0 || slot.state.load() != seen ||
      !slot.state.compare_exchange_strong(seen, SlotState::awake))
    return false;
  unstarted_.fetch_sub(1, std::memory_order_relaxed);
  leave_idle(pu);
  return start_worker(pu);
}

void Pool::start_ahead(int pu, const ExternalThread* initial) {
  if (!idle_.any() || someone_searches(initial)) return;
  idle_.nearest_pu(machine_.pu_level(pu), [this](int idle) {
    return slot(idle).state.load() == SlotState::parked || start_absent(idle);
  });
}

void Pool::nudge() {
  if (!idle_.any() || searching_.load() > 0 || searching_external_.load()) return;
  if (!idle_.each_pu(0, [this](int pu) { return wake_parked(pu); })) monitor_.poke();
}

// `initial` null: what waits may belong to anybody, and an external thread is the last choice.
void Pool::wake_any(int near, const ExternalThread* initial) {
  if (!idle_.any()) return;
  const auto fits = [&](int pu) {
    if (pu == 0 && !initial && slot(0).external.load(std::memory_order_relaxed)) return false;
    return wake_slot(pu, initial);
  };
  if (idle_.nearest_pu(machine_.pu_level(near), fits) < 0 && !initial) wake_slot(0, nullptr);
}

namespace {
bool never_comes(SlotState state) { return state == SlotState::broken || state == SlotState::lent; }
}  // namespace

// An owner that slept is awake now, or was woken by somebody else and polls; but its kernel thread
// may have been refused, or its PU been lent. Where nobody is idle the monitor sees what becomes of
// it.
void Pool::wake_for(int pu, Concerns whom, const ExternalThread* initial) {
  if (whom == Concerns::owner_awake) return;
  if (whom == Concerns::owner_asleep &&
      (wake_slot(pu, initial) || !never_comes(slot(pu).state.load())))
    return;
  if (!idle_.any()) return monitor_.record_waiting();
  if (!someone_searches(initial)) wake_any(pu, initial);
}

void Pool::retract(const Worker& worker, int level) {
  const bool hidden = level_queue(level).retract();
  if (attached(level).waits()) stealable_.set(level);
  if (hidden) wake_any(worker.pu, nullptr);
}

// The lock of each_worker() is not held when they are shown.
void Pool::publish_private(int pu) {
  EntityList kept;
  each_worker(pu, [&kept](Worker& worker) {
    if (worker.private_queue.empty() && !worker.has_back()) return;  // to write would take the line
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
      make_ready_away(*static_cast<Fiber*>(e));  // it waits in a join
    } else {
      auto& seeds = *static_cast<SeedRange*>(e);
      const ExternalThread* initial = seeds.bubble->initial;
      wake_for(pu, pu_queue(pu).push_fresh(seeds), initial);  // where the trace has it already
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
