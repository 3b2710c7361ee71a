// Owns: what a thief takes from a run queue. See run_queue.hpp.
#include "sched/queue/may_run.hpp"
#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

namespace {

bool holds(const Bubble& outer, const Bubble& bubble) {
  const Bubble* b = &bubble;
  while (b && b != &outer) b = b->outer();
  return b != nullptr;
}

}  // namespace

// Null: there is none that the thief may take. From the oldest to the youngest.
SeedRange* RunQueue::choose_seeds(const Taker& thief, plan::Take take, LoadOf load_of) {
  SeedRange* chosen = nullptr;
  int64_t most = 0;
  for (Entity* e = fresh_.back(); e; e = e->prev) {
    auto& seeds = static_cast<SeedRange&>(*e);
    if (e->pinned || !thief.may_run(seeds.bubble->initial)) continue;
    if (take == plan::Take::top_of_tree) return &seeds;
    if (take == plan::Take::thread_alone) {
      chosen = &seeds;
      continue;
    }
    const int64_t load = load_of ? load_of(seeds) : seeds.hi - seeds.lo;
    if (load > most) most = load, chosen = &seeds;
  }
  return chosen;
}

Fiber* RunQueue::free_fiber(const Taker& thief) {
  for (Entity* e = ready_.front(); e; e = e->next) {
    auto* fiber = static_cast<Fiber*>(e);
    if (!is_confined(*e) && may_take(thief, *fiber)) return fiber;
  }
  return nullptr;
}

// The last `count` members, the first of them as work.
void RunQueue::take_members(SeedRange& seeds, int count, Stolen& stolen) {
  Work& work = stolen.work;
  work.bubble = seeds.bubble;
  if (count == seeds.hi - seeds.lo) {
    work.index = take_seed(seeds);
    if (seeds.lo == seeds.hi) return;
    unlink(fresh_, seeds);
    stolen.rest = &seeds;
    return;
  }
  const int end = seeds.hi;
  work.index = seeds.hi = end - count;
  if (count > 1) stolen.rest = &seeds.bubble->new_seed_range(work.index + 1, end);
}

// What waits here of the opened bubble and of those round it.
void RunQueue::lift(SeedRange& opened, Stolen& stolen) {
  const Bubble& bubble = *opened.bubble;
  for (Entity *e = fresh_.back(), *before = nullptr; e; e = before) {
    before = e->prev;
    if (e->pinned || !holds(*static_cast<SeedRange*>(e)->bubble, bubble)) continue;
    unlink(fresh_, *e);
    stolen.lifted.push_back(*e);
  }
}

RunQueue::Stolen RunQueue::steal(const Taker& thief, bool waits, const plan::StealRule& rule,
                                 LoadOf load_of) {
  if (count() == 0) return {};
  if (waits)
    lock_.lock();
  else if (!lock_.try_lock())
    return {};
  const Stolen stolen = steal_locked(thief, rule, load_of);
  lock_.unlock();
  return stolen;
}

RunQueue::Stolen RunQueue::steal_locked(const Taker& thief, const plan::StealRule& rule,
                                        LoadOf load_of) {
  Stolen stolen;
  SeedRange* seeds = nullptr;
  if (rule.take == plan::Take::thread_alone) stolen.work.fiber = free_fiber(thief);
  if (!stolen.work) seeds = choose_seeds(thief, rule.take, load_of);
  if (seeds) {
    const bool alone = fresh_.front() == fresh_.back();
    take_members(*seeds, plan::taken_of(rule, seeds->hi - seeds->lo, alone), stolen);
    if (!rule.leave_ancestors) lift(*seeds, stolen);
  } else if (!stolen.work) {
    stolen.work.fiber = free_fiber(thief);
  }
  if (stolen.work.fiber) unlink(ready_, *stolen.work.fiber);
  return stolen;
}

}  // namespace xylem::sched
