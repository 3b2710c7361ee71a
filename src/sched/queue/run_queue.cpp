// Owns: the operations of a run queue. See run_queue.hpp.
#include "sched/queue/run_queue.hpp"

#include "base/check.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/queue/may_run.hpp"

namespace xylem::sched {

namespace {

// As the last of those with its priority, behind which somebody waits whose priority is lower.
void insert_as_last(EntityList& list, Entity& e) {
  Entity* next = list.back();
  while (next->prev && next->prev->priority < e.priority) next = next->prev;
  list.insert_before(next, e);
}

// As the first of those with its priority, before which somebody waits whose priority is higher.
void insert_as_first(EntityList& list, Entity& e) {
  Entity* next = list.front();
  while (next && next->priority > e.priority) next = next->next;
  list.insert_before(next, e);
}

// Whether a worker may take it that does not serve the queue's own level. A fiber whose kernel
// thread is busy with a loop becomes free where it stands (hosting.cpp, which calls offer()).
bool is_free(const Entity& e) {
  if (is_confined(e)) return false;
  return e.kind == EntityKind::seed_range || !static_cast<const Fiber&>(e).host.load();
}

bool may_leave(const Fiber& fiber) {
  return (fiber.held || fiber.gathered) && fiber.pin_pu < 0 && !fiber.external_only &&
         !fiber.host.load();
}

// Whether it may run elsewhere once the queue's owner is away for long.
bool may_leave(const Entity& e) {
  if (is_free(e)) return true;
  if (e.kind == EntityKind::fiber) return may_leave(static_cast<const Fiber&>(e));
  return static_cast<const SeedRange&>(e).bubble->held;
}

// Of what may leave: anybody may take it.
void let_go(Entity& e) {
  e.pinned = e.gathered = false;
  if (e.kind == EntityKind::fiber) static_cast<Fiber&>(e).held = false;
}

}  // namespace

void RunQueue::insert_ready(Fiber& fiber) {
  fiber.queue.store(this, std::memory_order_relaxed);  // relaxed: read under the lock
  may_hold_free_ |= !is_confined(fiber);
  if (const Entity* last = ready_.back(); last && last->priority < fiber.priority) [[unlikely]]
    insert_as_last(ready_, fiber);
  else
    ready_.push_back(fiber);
}

Concerns RunQueue::push_ready(Fiber& fiber) {
  base::Locked locked(lock_);
  insert_ready(fiber);
  count_.fetch_add(1, std::memory_order_seq_cst);
  return concerns(is_free(fiber), fiber.initial);
}

Concerns RunQueue::push_ready(EntityList& fibers, int count, const ExternalThread* initial) {
  base::Locked locked(lock_);
  const bool gathered = fibers.front()->gathered;
  while (auto* first = static_cast<Fiber*>(fibers.front())) {
    fibers.remove(*first);
    insert_ready(*first);
  }
  may_hold_gathered_ |= gathered;
  count_.fetch_add(count, std::memory_order_seq_cst);
  return concerns(!gathered, initial);
}

void RunQueue::insert_fresh(SeedRange& seeds) {
  seeds.queue.store(this, std::memory_order_relaxed);  // relaxed: claim_seed() looks again
  may_hold_free_ |= !is_confined(seeds);
  if (const Entity* first = fresh_.front(); first && first->priority > seeds.priority) [[unlikely]]
    insert_as_first(fresh_, seeds);
  else
    fresh_.push_front(seeds);
  count_.fetch_add(1, std::memory_order_seq_cst);
}

Concerns RunQueue::push_fresh(SeedRange& seeds) {
  base::Locked locked(lock_);
  insert_fresh(seeds);
  return concerns(is_free(seeds), seeds.bubble->initial);
}

// --- handing over --------------------------------------------------------------------------------

namespace {

constexpr int number_shift = 48;
constexpr uint64_t pointer_mask = (uint64_t{1} << number_shift) - 1;

}  // namespace

Work RunQueue::work_of(uint64_t word) {
  if (word <= open) return {};
  return {nullptr, reinterpret_cast<Bubble*>(word & pointer_mask),
          static_cast<int>(word >> number_shift), false};
}

bool RunQueue::hand_over(const SeedRange& seeds) {
  const Bubble& bubble = *seeds.bubble;
  const bool one = seeds.hi - seeds.lo == 1 && seeds.lo > 0 && seeds.lo <= 0xffff;
  if (!one || &seeds != bubble.seed_ranges + seeds.lo - 1 || bubble.on_kept_threads) return false;
  const auto address = reinterpret_cast<uintptr_t>(&bubble);
  if ((address & ~pointer_mask) != 0) return false;
  uint64_t seen = open;
  return hand_.compare_exchange_strong(seen, address | static_cast<uint64_t>(seeds.lo)
                                                           << number_shift);
}

// Another worker of the PU, or who closes it, may be sooner. An open word that is closed here is
// closed a little too soon, no more.
Work RunQueue::take_handed() { return work_of(hand_.exchange(closed)); }

// The range of a seed that was handed over and not taken; null: there is none.
SeedRange* RunQueue::close_hand() {
  if (hand_.load(std::memory_order_relaxed) == closed) return nullptr;  // only the owner opens it
  const Work left = work_of(hand_.exchange(closed));
  return left ? left.bubble->seed_ranges + left.index - 1 : nullptr;
}

// --- whom it concerns ----------------------------------------------------------------------------

Concerns RunQueue::concerns(bool is_free, const ExternalThread* initial) {
  const bool for_owner = !owner_external_ || owner_external_ == initial;
  if (for_owner && owner_ == Owner::searching) return Concerns::owner_awake;
  if (is_free) publish();
  if (for_owner && owner_ == Owner::parked) {
    owner_ = Owner::woken;
    return Concerns::owner_asleep;
  }
  const bool owner_comes = for_owner && owner_ == Owner::woken;
  return is_free && !owner_comes ? Concerns::anyone : Concerns::owner_awake;
}

void RunQueue::publish() {
  if (published_ || !stealable) return;
  published_ = true;
  stealable->set(level.load(std::memory_order_relaxed));  // relaxed: written once
}

bool RunQueue::something_is_free() {
  if (!may_hold_free_) return false;
  may_hold_free_ = false;
  for (const EntityList* list : {&fresh_, &ready_})
    for (const Entity* e = list->front(); e; e = e->next) {
      may_hold_free_ |= !is_confined(*e);
      if (is_free(*e)) return true;
    }
  return false;
}

// An external thread may not run all that comes, so its hand stays closed.
void RunQueue::owner_searches() {
  base::Locked locked(lock_);
  owner_ = Owner::searching;
  if (!owner_external_) hand_.store(open);
}

bool RunQueue::set_owner_state(Owner owner) {
  SeedRange* left = close_hand();
  base::Locked locked(lock_);
  if (left) insert_fresh(*left);
  owner_ = owner;
  if (owner != Owner::away || !something_is_free()) return false;
  publish();
  return true;
}

// What stands here is told already: no owner was looking.
void RunQueue::set_external_owner(const ExternalThread& external) {
  base::Locked locked(lock_);
  owner_external_ = &external;
}

void RunQueue::offer() {
  base::Locked locked(lock_);
  if (owner_ != Owner::searching && something_is_free()) publish();
}

bool RunQueue::retract() {
  if (!lock_.try_lock()) return false;
  const bool hidden = retract_locked();
  lock_.unlock();
  return hidden;
}

bool RunQueue::retract_locked() {
  const bool owner_takes_all = owner_ == Owner::searching && !owner_external_;
  if (!owner_takes_all && something_is_free()) return false;
  published_ = false;
  return stealable->clear(level.load(std::memory_order_relaxed));  // relaxed: written once
}

void RunQueue::unlink(EntityList& list, Entity& e) {
  list.remove(e);
  e.gathered = false;
  e.queue.store(nullptr, std::memory_order_relaxed);  // relaxed: claim_seed() looks again
  count_.store(count() - 1,
               std::memory_order_relaxed);  // relaxed: only pushes must be seen at once
}

int RunQueue::take_seed(SeedRange& seeds) {
  XYLEM_ASSERT(seeds.lo < seeds.hi, "a seeds without seeds stood in a queue");
  const int index = seeds.lo++;
  if (seeds.lo == seeds.hi) unlink(fresh_, seeds);
  return index;
}

Work RunQueue::take_ready(const Taker& worker) {
  for (Entity* e = ready_.front(); e; e = e->next) {
    auto& fiber = static_cast<Fiber&>(*e);
    if (!may_take(worker, fiber)) continue;
    unlink(ready_, fiber);
    return {&fiber, nullptr, 0, false};
  }
  return {};
}

Work RunQueue::take_fresh(const Taker& worker) {
  for (Entity* e = fresh_.front(); e; e = e->next) {
    auto& seeds = static_cast<SeedRange&>(*e);
    Bubble* bubble = seeds.bubble;
    if (may_start(worker, seeds)) return {nullptr, bubble, take_seed(seeds), false};
  }
  return {};
}

Work RunQueue::take(const Taker& worker, Order order) {
  if (hand_.load(std::memory_order_relaxed) > open) [[unlikely]]  // relaxed: looked at again
    if (Work work = take_handed()) return work;
  if (count() == 0) return {};
  base::Locked locked(lock_);
  if (order == Order::fresh_first) {
    if (Work work = take_fresh(worker)) return work;
    return take_ready(worker);
  }
  if (Work work = take_ready(worker)) return work;
  return take_fresh(worker);
}

Work RunQueue::take_started(const Taker& worker) {
  if (count() == 0) return {};
  base::Locked locked(lock_);
  return take_ready(worker);
}

// One comes and one goes: the count stays what it is. Nobody need be told of the one that comes:
// the worker itself is awake and polls here again.
Fiber* RunQueue::exchange(const Taker& worker,
                          Fiber& yielding) XYLEM_NO_THREAD_ANALYSIS {  // keeps the lock
  if (count() == 0) return nullptr;
  lock_.lock();
  auto* first = static_cast<Fiber*>(ready_.front());
  if (!first || !fresh_.empty() || !may_take(worker, *first) ||
      first->priority < yielding.priority) {
    lock_.unlock();
    return nullptr;
  }
  ready_.remove(*first);
  first->gathered = false;
  first->queue.store(nullptr, std::memory_order_relaxed);  // relaxed: read under the lock
  insert_ready(yielding);
  return first;
}

void RunQueue::end_exchange() XYLEM_NO_THREAD_ANALYSIS { lock_.unlock(); }  // of exchange()

void RunQueue::take_all_free(EntityList& fibers, EntityList& seeds) {
  base::Locked locked(lock_);
  for (Entity *e = ready_.front(), *next = nullptr; e; e = next) {
    next = e->next;
    if (!may_leave(*e)) continue;
    unlink(ready_, *e);
    let_go(*e);
    fibers.push_back(*e);
  }
  for (Entity *e = fresh_.back(), *before = nullptr; e; e = before) {
    before = e->prev;
    if (!may_leave(*e)) continue;
    unlink(fresh_, *e);
    let_go(*e);
    seeds.push_back(*e);
  }
}

void RunQueue::let_all_go() {
  base::Locked locked(lock_);
  for (EntityList* list : {&ready_, &fresh_})
    for (Entity* e = list->front(); e; e = e->next)
      if (may_leave(*e)) let_go(*e);
  may_hold_free_ = true;
}

bool RunQueue::holds_bound() {
  if (count() == 0) return false;
  base::Locked locked(lock_);
  const auto is_bound = [](const EntityList& list) {
    const Entity* e = list.front();
    while (e && may_leave(*e)) e = e->next;
    return e != nullptr;
  };
  return is_bound(ready_) || is_bound(fresh_);
}

int RunQueue::claim_seed(SeedRange& seeds) {
  for (;;) {
    // relaxed: the queue's lock decides; a stale answer only means another poll
    RunQueue* queue = seeds.queue.load(std::memory_order_relaxed);
    if (!queue) return -1;
    base::Locked locked(queue->lock_);
    if (seeds.queue.load(std::memory_order_relaxed) == queue) return queue->take_seed(seeds);
  }
}

bool RunQueue::free_an_external() {
  base::Locked locked(lock_);
  for (Entity* e = ready_.front(); e; e = e->next) {
    if (!e->external_only) continue;
    e->external_only = false;
    e->pinned = true;  // by another worker of the same PU
    return true;
  }
  return false;
}

int RunQueue::waiting(int most) {
  const int handed = hand_.load(std::memory_order_relaxed) > open ? 1 : 0;  // a hint
  if (count() == 0) return handed;
  base::Locked locked(lock_);
  int sum = handed;
  for (Entity* e = ready_.front(); e && sum < most; e = e->next) ++sum;
  for (Entity* e = fresh_.front(); e && sum < most; e = e->next)
    sum += static_cast<SeedRange*>(e)->hi - static_cast<SeedRange*>(e)->lo;
  return sum < most ? sum : most;
}

RunQueue::Oldest RunQueue::oldest(Serve what) {
  if (count() == 0) return {};
  base::Locked locked(lock_);
  if (what == Serve::seed) {
    const auto* seeds = static_cast<const SeedRange*>(fresh_.back());
    return seeds ? Oldest{seeds, 0, seeds->lo, seeds->hi, seeds->bubble->initial} : Oldest{};
  }
  const auto* fiber = static_cast<const Fiber*>(ready_.front());
  if (!fiber || fiber->host.load()) return {};
  return {fiber, fiber->activations, 0, 0, fiber->initial};
}

Fiber* RunQueue::first_gathered() {
  if (!may_hold_gathered_) return nullptr;
  Entity* e = ready_.front();
  while (e && !e->gathered) e = e->next;
  may_hold_gathered_ = e != nullptr;
  return static_cast<Fiber*>(e);
}

RunQueue::Oldest RunQueue::oldest_gathered() {
  if (count() == 0) return {};
  base::Locked locked(lock_);
  const Fiber* fiber = first_gathered();
  return fiber ? Oldest{fiber, fiber->activations, 0, 0, fiber->initial} : Oldest{};
}

Concerns RunQueue::let_gathered_go() {
  base::Locked locked(lock_);
  const Fiber* first = first_gathered();
  if (!first) return Concerns::owner_awake;
  for (Entity* e = ready_.front(); e; e = e->next)
    if (e->gathered) let_go(*e);
  may_hold_gathered_ = false;
  may_hold_free_ = true;
  return concerns(true, first->initial);
}

Work RunQueue::take_oldest_seed(const Taker& worker) {
  for (Entity* e = fresh_.back(); e; e = e->prev) {
    auto& seeds = static_cast<SeedRange&>(*e);
    Bubble* bubble = seeds.bubble;
    if (may_start(worker, seeds)) return {nullptr, bubble, take_seed(seeds), false};
  }
  return {};
}

Work RunQueue::take_oldest(const Taker& worker, Serve what) {
  base::Locked locked(lock_);
  return what == Serve::seed ? take_oldest_seed(worker) : take_ready(worker);
}

const char* RunQueue::check() {
  base::Locked locked(lock_);
  int seen = 0;
  for (const EntityList* list : {&fresh_, &ready_})
    for (const Entity* e = list->front(); e && !may_hold_free_; e = e->next)
      if (!is_confined(*e)) return "something may leave and nobody knows";
  for (Entity* e = ready_.front(); e; e = e->next, ++seen)
    if (e->queue.load() != this || e->kind != EntityKind::fiber) return "ready list: wrong entity";
  for (Entity* e = fresh_.front(); e; e = e->next, ++seen) {
    if (e->queue.load() != this || e->kind != EntityKind::seed_range)
      return "fresh list: wrong entity";
    if (static_cast<SeedRange*>(e)->lo >= static_cast<SeedRange*>(e)->hi)
      return "fresh list: empty seeds";
  }
  return seen == count() ? nullptr : "count differs from the lists";
}

}  // namespace xylem::sched
