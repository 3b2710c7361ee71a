// Owns: what stands in a run queue, shown and taken piece by piece, for the hooks of policies. See
// run_queue.hpp.
#include <algorithm>

#include "sched/queue/may_run.hpp"
#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

namespace {

RunQueue::Standing standing_of(const SeedRange& seeds, RunQueue::LoadOf load_of) {
  return {.entity = &seeds,
          .kind = EntityKind::seed_range,
          .pinned = seeds.pinned,
          .lo = seeds.lo,
          .hi = seeds.hi,
          .priority = seeds.priority,
          .load = load_of ? load_of(seeds) : 0,
          .group = seeds.bubble->group};
}

RunQueue::Standing standing_of(const Fiber& fiber) {
  return {.entity = &fiber,
          .pinned = fiber.pinned,
          .activations = fiber.activations,
          .pu = fiber.pu,
          .priority = fiber.priority,
          .group = fiber.group};
}

// Only its own kernel thread, or another certain worker, may take it.
bool stays(const Fiber& fiber) { return fiber.external_only || fiber.host.load(); }

}  // namespace

size_t RunQueue::copy(std::span<Standing> room, LoadOf load_of) {
  if (count() == 0) return 0;
  base::Locked locked(lock_);
  size_t count = 0;
  for (const Entity* e = fresh_.back(); e && count < room.size(); e = e->prev)
    room[count++] = standing_of(static_cast<const SeedRange&>(*e), load_of);
  for (const Entity* e = ready_.front(); e && count < room.size(); e = e->next)
    if (const auto& fiber = static_cast<const Fiber&>(*e); !stays(fiber))
      room[count++] = standing_of(fiber);
  return count;
}

// The address may be another entity's by now: then it is that, if it looks the same.
SeedRange* RunQueue::find(const Standing& standing) {
  Entity* e = fresh_.front();
  while (e && e != standing.entity) e = e->next;
  auto* seeds = static_cast<SeedRange*>(e);
  const bool is_same = seeds && seeds->pinned == standing.pinned && seeds->lo >= standing.lo &&
                       seeds->hi <= standing.hi;
  return is_same ? seeds : nullptr;
}

Entity* RunQueue::take_out(const Standing& standing) {
  base::Locked locked(lock_);
  if (standing.kind == EntityKind::seed_range) {
    SeedRange* seeds = find(standing);
    if (seeds) unlink(fresh_, *seeds);
    return seeds;
  }
  Entity* e = ready_.front();
  while (e && e != standing.entity) e = e->next;
  auto* fiber = static_cast<Fiber*>(e);
  if (!fiber || stays(*fiber) || fiber->pinned != standing.pinned ||
      fiber->activations != standing.activations)
    return nullptr;
  unlink(ready_, *fiber);
  return fiber;
}

bool RunQueue::meet(const Taker& worker, Order order, LoadOf load_of, Standing& met) {
  if (count() == 0) return false;
  base::Locked locked(lock_);
  const Entity* ready = order == Order::fresh_first ? nullptr : ready_.front();
  while (ready && !may_take(worker, static_cast<const Fiber&>(*ready))) ready = ready->next;
  if (ready) return false;
  const Entity* e = fresh_.front();
  while (e && !may_start(worker, static_cast<const SeedRange&>(*e))) e = e->next;
  if (!e) return false;
  met = standing_of(static_cast<const SeedRange&>(*e), load_of);
  return met.hi - met.lo > 1;
}

bool RunQueue::meet(const Taker& thief, const plan::StealRule& rule, LoadOf load_of,
                    Standing& met) {
  if (count() == 0) return false;
  base::Locked locked(lock_);
  if (rule.take == plan::Take::thread_alone && free_fiber(thief)) return false;
  const SeedRange* seeds = choose_seeds(thief, rule.take, load_of);
  if (!seeds) return false;
  met = standing_of(*seeds, load_of);
  return met.hi - met.lo > 1;
}

RunQueue::Stolen RunQueue::take_share(const Taker& worker, const Standing& met,
                                      const plan::Share& share) {
  Stolen stolen;
  base::Locked locked(lock_);
  SeedRange* seeds = find(met);
  if (!seeds || !may_start(worker, *seeds)) return stolen;
  const int count = seeds->hi - seeds->lo;
  take_members(*seeds, std::min(share.members, count), stolen);
  if (share.members >= count || share.rest_level < 0) return stolen;
  unlink(fresh_, *seeds);
  stolen.lifted.push_back(*seeds);
  return stolen;
}

}  // namespace xylem::sched
