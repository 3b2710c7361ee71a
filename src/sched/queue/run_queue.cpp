// Owns: the operations of a run queue. See run_queue.hpp.
#include "sched/queue/run_queue.hpp"

#include "base/check.hpp"
#include "sched/context/gate.hpp"
#include "sched/queue/fiber.hpp"

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

bool may_take(const Taker& worker, const Fiber& fiber) {
  const Taker* host = fiber.host.load();
  if (host && host != &worker) return false;
  if (fiber.home_only) return fiber.guest && fiber.guest == worker.guest;
  return worker.may_run(fiber.root);
}

// Whose kernel thread is another worker's just now is left to that one, which looks here too.
bool may_start(const Taker& worker, const Share& share) {
  const Bubble& bubble = *share.bubble;
  if (!worker.may_run(bubble.root)) return false;
  if (!bubble.on_kept_threads) return true;
  const Stack* kept = kept_thread(bubble, share.lo);
  const Taker* host = kept ? kept->gate->host.load() : nullptr;
  return !host || host == &worker;
}

}  // namespace

void RunQueue::insert_ready(Fiber& fiber) {
  fiber.queue.store(this, std::memory_order_relaxed);  // relaxed: read under the lock
  if (const Entity* last = ready_.back(); last && last->priority < fiber.priority) [[unlikely]]
    insert_as_last(ready_, fiber);
  else
    ready_.push_back(fiber);
}

void RunQueue::push_ready(Fiber& fiber) {
  base::Locked locked(lock_);
  insert_ready(fiber);
  count_.fetch_add(1, std::memory_order_seq_cst);
}

void RunQueue::push_ready(EntityList& fibers, int count) {
  base::Locked locked(lock_);
  while (auto* first = static_cast<Fiber*>(fibers.front())) {
    fibers.remove(*first);
    insert_ready(*first);
  }
  count_.fetch_add(count, std::memory_order_seq_cst);
}

void RunQueue::push_fresh(Share& share) {
  base::Locked locked(lock_);
  share.queue.store(this, std::memory_order_relaxed);  // relaxed: claim_seed() looks again
  if (const Entity* first = fresh_.front(); first && first->priority > share.priority) [[unlikely]]
    insert_as_first(fresh_, share);
  else
    fresh_.push_front(share);
  count_.fetch_add(1, std::memory_order_seq_cst);
}

void RunQueue::unlink(EntityList& list, Entity& e) {
  list.remove(e);
  e.queue.store(nullptr, std::memory_order_relaxed);  // relaxed: claim_seed() looks again
  count_.store(count() - 1,
               std::memory_order_relaxed);  // relaxed: only pushes must be seen at once
}

int RunQueue::take_seed(Share& share) {
  XYLEM_ASSERT(share.lo < share.hi, "a share without seeds stood in a queue");
  const int index = share.lo++;
  if (share.lo == share.hi) unlink(fresh_, share);
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
    auto& share = static_cast<Share&>(*e);
    Bubble* bubble = share.bubble;
    if (may_start(worker, share)) return {nullptr, bubble, take_seed(share), false};
  }
  return {};
}

Work RunQueue::take(const Taker& worker, Order order) {
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
// the worker itself is awake and looks here again.
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
  first->queue.store(nullptr, std::memory_order_relaxed);  // relaxed: read under the lock
  insert_ready(yielding);
  return first;
}

void RunQueue::end_exchange() XYLEM_NO_THREAD_ANALYSIS { lock_.unlock(); }  // of exchange()

RunQueue::Stolen RunQueue::steal(const Taker& thief) {
  Stolen stolen;
  if (count() == 0) return stolen;
  Work& work = stolen.work;
  base::Locked locked(lock_);
  for (Entity* e = fresh_.back(); e && !work; e = e->prev) {
    auto& share = static_cast<Share&>(*e);
    if (e->pinned || !thief.may_run(share.bubble->root)) continue;
    const int seeds = share.hi - share.lo;
    work.bubble = share.bubble;
    if (seeds == 1) {
      work.index = take_seed(share);
      break;
    }
    work.index = share.lo + (seeds + 1) / 2;
    const int end = share.hi;
    share.hi = work.index;
    if (work.index + 1 < end) stolen.rest = &share.bubble->new_share(work.index + 1, end);
  }
  for (Entity* e = ready_.front(); e && !work; e = e->next) {
    auto* fiber = static_cast<Fiber*>(e);
    if (e->pinned || e->home_only || !may_take(thief, *fiber)) continue;
    work.fiber = fiber;
    unlink(ready_, *e);
  }
  return stolen;
}

int RunQueue::claim_seed(Share& share) {
  for (;;) {
    // relaxed: the queue's lock decides; a stale answer only means another look
    RunQueue* queue = share.queue.load(std::memory_order_relaxed);
    if (!queue) return -1;
    base::Locked locked(queue->lock_);
    if (share.queue.load(std::memory_order_relaxed) == queue) return queue->take_seed(share);
  }
}

bool RunQueue::free_a_guest() {
  base::Locked locked(lock_);
  for (Entity* e = ready_.front(); e; e = e->next) {
    if (!e->home_only) continue;
    e->home_only = false;
    e->pinned = true;  // by another worker of the same PU
    return true;
  }
  return false;
}

int RunQueue::waiting(int most) {
  if (count() == 0) return 0;
  base::Locked locked(lock_);
  int sum = 0;
  for (Entity* e = ready_.front(); e && sum < most; e = e->next) ++sum;
  for (Entity* e = fresh_.front(); e && sum < most; e = e->next)
    sum += static_cast<Share*>(e)->hi - static_cast<Share*>(e)->lo;
  return sum < most ? sum : most;
}

const char* RunQueue::check() {
  base::Locked locked(lock_);
  int seen = 0;
  for (Entity* e = ready_.front(); e; e = e->next, ++seen)
    if (e->queue.load() != this || e->kind != EntityKind::fiber) return "ready list: wrong entity";
  for (Entity* e = fresh_.front(); e; e = e->next, ++seen) {
    if (e->queue.load() != this || e->kind != EntityKind::share) return "fresh list: wrong entity";
    if (static_cast<Share*>(e)->lo >= static_cast<Share*>(e)->hi) return "fresh list: empty share";
  }
  return seen == count() ? nullptr : "count differs from the lists";
}

}  // namespace xylem::sched
