// Owns: keeping what may run in units' queues. See unit_queues.hpp; attach() is in
// group/groups.cpp.
//
// Nothing that waits in a unit's queue is forgotten. A pusher increments the queue's count, then
// reads `level`, then wakes a worker below it if one is parked. attach() puts the unit into the
// level's list, writes `level`, then reads the count, then wakes as many workers as entities wait.
// All of these are sequentially consistent: if the pusher read an older level, its increment comes
// before attach()'s read of the count, and attach() wakes for it. A worker about to sleep writes
// `parked`, then reads the lists and the counts (parking.cpp): it sees the entity, or the pusher or
// attach() sees it parked.
#include "sched/worker/unit_queues.hpp"

#include "sched/worker/external_thread.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

// --- keeping -------------------------------------------------------------------------------------

namespace {

void wake_for(Pool& pool, const Group& unit, int entities, const ExternalThread* initial) {
  const int level = unit.level.load();
  if (level < 0) return;
  if (!pool.stealable().has(level)) pool.stealable().set(level);
  pool.wake_below(level, entities, initial);
}

}  // namespace

void push_to_unit(Pool& pool, SeedRange& seeds) {
  Group& unit = *seeds.bubble->group->unit();
  const int count = seeds.hi - seeds.lo;
  const ExternalThread* initial = seeds.bubble->initial;
  unit.queue.push_fresh(seeds);  // from here on it may run
  wake_for(pool, unit, count, initial);
}

void push_to_unit(Pool& pool, Fiber& fiber) {
  Group& unit = *fiber.group->unit();
  fiber.external_only = fiber.pinned = false;
  const ExternalThread* initial = fiber.initial;
  trace::emit<traced::woken>(fiber, unit.queue);
  unit.queue.push_ready(fiber);  // from here on it may run, and end
  wake_for(pool, unit, 1, initial);
}

namespace {

bool suspend_external(Fiber& fiber) {
  Group& unit = *fiber.group->unit();
  base::Locked locked(unit.suspended_lock);
  if (unit.level.load() != suspended) return false;
  unit.suspended_threads.push_back(fiber);
  return true;
}

}  // namespace

bool push_if_in_unit(Fiber& fiber) {
  if (!fiber.group || !fiber.group->unit() || fiber.pin_pu >= 0) return false;
  if (fiber.external) return suspend_external(fiber);
  push_to_unit(*fiber.worker->pool, fiber);
  return true;
}

// --- the pool's side -----------------------------------------------------------------------------

namespace {

// What `take` gives of the first of the units' queues that has something.
template <typename Take>
Work take_first(Pool::Attached& list, Take take) {
  if (list.count.load() == 0) return {};
  base::Locked locked(list.lock);
  for (Group* unit = list.first; unit; unit = unit->next_attached)
    if (Work work = take(unit->queue)) return work;
  return {};
}

}  // namespace

Work Pool::take_attached(int level, Worker& worker, Order order) {
  return take_first(attached(level), [&](RunQueue& queue) { return queue.take(worker, order); });
}

Work Pool::take_oldest_attached(int level, Worker& worker, Serve what) {
  return take_first(attached(level),
                    [&](RunQueue& queue) { return queue.take_oldest(worker, what); });
}

// All of a unit stands in its one queue, wherever a thief is.
static constexpr plan::StealRule within_unit;

Work Pool::steal_attached(int level, Worker& thief) {
  return take_first(attached(level), [&](RunQueue& queue) {
    return thief.steal_from(queue, {queue, queue, within_unit});
  });
}

int Pool::waiting_in_attached(int level, int most) {
  int sum = 0;
  each_attached(level, [&](Group& unit) {
    if (sum < most) sum += unit.queue.waiting(most);
  });
  return sum < most ? sum : most;
}

// Null, or which invariant does not hold.
const char* Pool::check_attached(int level) {
  Attached& list = attached(level);
  base::Locked locked(list.lock);
  int seen = 0;
  for (Group* unit = list.first; unit; unit = unit->next_attached, ++seen) {
    if (unit->unit() != unit) return "a group that is no unit is attached there";
    if (const char* fault = unit->queue.check()) return fault;
  }
  return seen == list.count.load() ? nullptr : "count differs from the list";
}

// Somebody who does not run is woken; workers that are awake or search look there by themselves.
void Pool::wake_below(int level, int most, const ExternalThread* initial) {
  idle_.each_pu(level, [&](int pu) {
    if (wake_slot(pu, initial)) --most;
    return most <= 0;
  });
}

}  // namespace xylem::sched
