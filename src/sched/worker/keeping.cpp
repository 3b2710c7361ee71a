// Owns: keeping what may run in keepers' queues. See keeping.hpp; lay() is in group/holders.cpp.
//
// Nothing that waits in a keeper's queue is forgotten. A pusher increments the queue's count, then
// reads `level`, then wakes a worker below it if one is parked. lay() puts the keeper into the
// level's list, writes `level`, then reads the count, then wakes as many workers as entities wait.
// All of these are sequentially consistent: if the pusher read an older level, its increment comes
// before lay()'s read of the count, and lay() wakes for it. A worker about to sleep writes
// `parked`, then reads the lists and the counts (parking.cpp): it sees the entity, or the pusher or
// lay() sees it parked.
#include "sched/worker/keeping.hpp"

#include "sched/worker/guest.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

// --- keeping -------------------------------------------------------------------------------------

namespace {

void wake_for(Pool& pool, const Holder& keeper, int entities, const Guest* root) {
  const int level = keeper.level.load();
  if (level >= 0) pool.wake_below(level, entities, root);
}

}  // namespace

void keep(Pool& pool, Share& share) {
  Holder& keeper = *share.bubble->holder->keeper();
  const int seeds = share.hi - share.lo;
  const Guest* root = share.bubble->root;
  keeper.queue.push_fresh(share);  // from here on it may run
  wake_for(pool, keeper, seeds, root);
}

void keep(Pool& pool, Fiber& fiber) {
  Holder& keeper = *fiber.holder->keeper();
  fiber.home_only = fiber.pinned = false;
  const Guest* root = fiber.root;
  trace::emit<traced::woken>(fiber, keeper.queue);
  keeper.queue.push_ready(fiber);  // from here on it may run, and end
  wake_for(pool, keeper, 1, root);
}

namespace {

bool put_guest_aside(Fiber& fiber) {
  Holder& keeper = *fiber.holder->keeper();
  base::Locked locked(keeper.guests_lock);
  if (keeper.level.load() != lies_aside) return false;
  keeper.guests_aside.push_back(fiber);
  return true;
}

}  // namespace

bool keep_if_kept(Fiber& fiber) {
  if (!fiber.holder || !fiber.holder->keeper() || fiber.pin_pu >= 0) return false;
  if (fiber.guest) return put_guest_aside(fiber);
  keep(*fiber.worker->pool, fiber);
  return true;
}

// --- the pool's side -----------------------------------------------------------------------------

Work Pool::take_lying(int level, Worker& worker, Order order) {
  Lying& list = lying(level);
  if (list.count.load() == 0) return {};
  base::Locked locked(list.lock);
  for (Holder* keeper = list.first; keeper; keeper = keeper->next_lying)
    if (Work work = keeper->queue.take(worker, order)) return work;
  return {};
}

Work Pool::steal_lying(int level, Worker& thief) {
  Lying& list = lying(level);
  if (list.count.load() == 0) return {};
  base::Locked locked(list.lock);
  for (Holder* keeper = list.first; keeper; keeper = keeper->next_lying)
    if (Work work = thief.steal_from(keeper->queue, keeper->queue)) return work;
  return {};
}

int Pool::waiting_in_lying(int level, int most) {
  Lying& list = lying(level);
  if (list.count.load() == 0) return 0;
  base::Locked locked(list.lock);
  int sum = 0;
  for (Holder* keeper = list.first; keeper && sum < most; keeper = keeper->next_lying)
    sum += keeper->queue.waiting(most);
  return sum < most ? sum : most;
}

// Null, or which invariant does not hold.
const char* Pool::check_lying(int level) {
  Lying& list = lying(level);
  base::Locked locked(list.lock);
  int seen = 0;
  for (Holder* keeper = list.first; keeper; keeper = keeper->next_lying, ++seen) {
    if (keeper->keeper() != keeper) return "one that keeps nothing lies there";
    if (const char* fault = keeper->queue.check()) return fault;
  }
  return seen == list.count.load() ? nullptr : "count differs from the list";
}

// Somebody who does not run is woken; workers that are awake or search look there by themselves.
void Pool::wake_below(int level, int most, const Guest* root) {
  if (asleep_.load() == 0) return;
  const topo::Level& under = machine_.levels()[static_cast<size_t>(level)];
  for (int pu = under.first_pu; pu < under.first_pu + under.pu_count && most > 0; ++pu)
    if (wake_seat(pu, root)) --most;
}

}  // namespace xylem::sched
