// Owns: the monitor's polls and remedies. See monitor.hpp.
#include <algorithm>
#include <utility>

#include "os/clock.hpp"
#include "os/thread.hpp"
#include "sched/worker/monitor_watch.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {
constexpr int64_t longest_scan_ns = 5 * tick_ns;
constexpr int64_t between_mendings_ns = 50'000'000;  // of slots without a kernel thread
// The PU's workers must have run for a quarter of a slice: else other processes keep them off the
// processor, and one worker more would only be one more that waits for it. But not for ever.
constexpr int64_t share_of_slice = 4, most_slices = 10;
// How often the workers are asked to run what has waited longest before an extra one is to.
constexpr int slices_asked = 4;
}  // namespace

void Monitor::retry_slots(int64_t now) {
  if (now < mend_at_) return;
  mend_at_ = now + between_mendings_ns;
  for (int pu = 0; pu < pool_.pu_count(); ++pu) pool_.retry_slot(pu);
}

bool Monitor::poll(int64_t now) {
  bool waits = false;
  since_poll_ns_ = std::min(now - std::exchange(polled_at_, now), longest_scan_ns);
  retry_slots(now);
  for (int pu = 0; pu < pool_.pu_count(); ++pu) pool_.publish_private(pu);
  const bool some_suspended =
      pool_.settings().something_suspended_waits && pool_.settings().something_suspended_waits();
  for (int pu = 0; pu < pool_.pu_count(); ++pu)
    waits |= poll_pu(pu, watches_[pu], now, some_suspended);
  return waits;
}

// Calls visit(level) for the PU's own level and those above whose first PU it is, until that is
// true.
template <typename Visit>
void Monitor::each_level_of(int pu, Visit visit) const {
  const auto levels = pool_.machine().levels();
  for (int level = pool_.machine().pu_level(pu); level >= 0;
       level = levels[static_cast<size_t>(level)].parent)
    if (levels[static_cast<size_t>(level)].first_pu != pu || visit(level)) return;
}

// Who began or ended a rest while the kernel was asked may have slept in that.
Monitor::Doing Monitor::doing_of(const Worker& worker) {
  const uint32_t rests = worker.rests.load();
  const int tid = worker.tid.load(std::memory_order_relaxed);  // relaxed: only a number
  const auto state = tid != 0 ? os::activity_of(tid) : os::Activity::wants_processor;
  if (state == os::Activity::wants_processor) return Doing::runs;
  if (rests % 2 != 0 || worker.rests.load() != rests) return Doing::rests;
  return state == os::Activity::delayed ? Doing::delayed : Doing::blocked;
}

Monitor::Doing Monitor::doing_at(int pu) {
  Doing busiest = Doing::blocked;
  pool_.each_worker(pu, [&busiest](const Worker& worker) {
    if (busiest != Doing::runs) busiest = std::min(busiest, doing_of(worker));
  });
  return busiest;
}

// Not so where the worker would look if only it had a processor.
bool Monitor::all_idle(int pu) {
  const SlotState slot = pool_.slot(pu).state.load();
  return (slot == SlotState::searching || slot == SlotState::parked) && doing_at(pu) != Doing::runs;
}

Monitor::Use Monitor::use_of(int pu) {
  Use use;
  pool_.each_worker(pu, [&use](Worker& worker) {
    use.turns += worker.turns.load(std::memory_order_relaxed);  // relaxed: see Worker::turns
    if (const int tid = worker.tid.load(std::memory_order_relaxed))
      use.cpu_ns += os::thread_cpu_ns(tid);
    ++use.workers;
  });
  return use;
}

// While bubbles take turns (group.hpp) what waits comes and goes: who is stuck stays so meanwhile.
bool Monitor::poll_pu(int pu, Watch& watch, int64_t now, bool some_suspended) {
  // What waits at a PU that is lent is moved where somebody comes (Pool::move_waiting).
  const bool waits = waiting(pu, 1) > 0 && !pool_.is_lent(pu);
  if (!waits && !some_suspended) {
    watch.polled_at = watch.stuck_since = 0;
    watch.next_extras = 1;
    watch.fiber = watch.seed = {};
    return false;
  }
  serve_above(pu);
  const auto [turns, cpu, workers] = use_of(pu);
  const bool fresh_poll = watch.polled_at == 0 || turns != watch.turns;
  const bool idle = !fresh_poll && (cpu - watch.cpu_ns) * 5 < now - watch.polled_at;
  const Doing doing = idle ? doing_at(pu) : Doing::runs;  // perhaps kept off by other processes
  const bool blocked = doing >= Doing::delayed;
  watch.turns = turns;
  watch.cpu_ns = cpu;
  watch.cpu_then_ns = std::min(watch.cpu_then_ns, cpu);  // one that left took its time with it
  watch.polled_at = now;
  if (fresh_poll && workers > 0) {
    watch.stuck_since = now;
    watch.cpu_then_ns = cpu;
    watch.asked = false;
    serve_oldest(pu, watch, now);
    return true;
  }
  if (!waits) return false;
  if (doing == Doing::blocked) record_relief();
  if (blocked) {
    watch.soon.turns = turns;
    poll_again(watch, now, soonest_ns);
  }
  // An external thread in its loop runs nothing of others': what waits there is theirs.
  if (workers == 0 || blocked || all_idle(pu)) {
    relieve(pu, most_extras_at_once);
  } else if (slice_is_over(now - watch.stuck_since, cpu - watch.cpu_then_ns)) {
    const bool ran = had_its_share(cpu - watch.cpu_then_ns);
    watch.stuck_since = now;
    watch.cpu_then_ns = cpu;
    if (ask_to_switch(pu, watch)) return true;
    if (ran) record_relief();  // else other processes kept them off
    relieve(pu, watch.next_extras);
    if (watch.next_extras < most_extras_at_once) watch.next_extras *= 2;
  }
  return true;
}

// The next poll in between; `period` the soonest after somebody was blocked.
void Monitor::poll_again(Watch& watch, int64_t now, int64_t period) {
  Watch::Soon& soon = watch.soon;
  if (period == soonest_ns) soon.until = now + keen_ns;
  soon.period = std::min(period, longest_soon_ns);
  soon.at = now < soon.until ? now + soon.period : never;
  soon_at_ = std::min(soon_at_, soon.at);
}

// A poll in between says nothing of those who take turns, or spin: poll() goes by its own polls.
void Monitor::poll_soon(int64_t now) {
  soon_at_ = never;
  for (int pu = 0; pu < pool_.pu_count(); ++pu) {
    Watch& watch = watches_[static_cast<size_t>(pu)];
    if (watch.soon.at <= now)
      poll_blocked(pu, watch, now);
    else
      soon_at_ = std::min(soon_at_, watch.soon.at);
  }
}

// Blocked are all that sleep at this moment and have taken no turn since the poll before, whatever
// time they used: eight members that poll by usleep keep a processor busy for half of the time.
void Monitor::poll_blocked(int pu, Watch& watch, int64_t now) {
  Watch::Soon& soon = watch.soon;
  if (waiting(pu, 1) == 0 || pool_.is_lent(pu)) return poll_again(watch, now, 2 * soon.period);
  uint64_t turns = 0;
  pool_.each_worker(pu, [&turns](Worker& worker) {
    turns += worker.turns.load(std::memory_order_relaxed);  // relaxed: see Worker::turns
  });
  const bool took_turns = turns != std::exchange(soon.turns, turns);
  const Doing doing = took_turns ? Doing::runs : doing_at(pu);
  if (doing < Doing::delayed && (took_turns || !all_idle(pu)))
    return poll_again(watch, now, 2 * soon.period);
  if (doing == Doing::blocked) record_relief();
  relieve(pu, most_extras_at_once);
  poll_again(watch, now, soonest_ns);
}

// --- what waits too long, and remedies ----------------------------------------------------------

bool Monitor::slice_is_over(int64_t since, int64_t ran) const {
  return since >= (had_its_share(ran) ? 1 : most_slices) * time_slice();
}

bool Monitor::had_its_share(int64_t ran) const { return ran * share_of_slice >= time_slice(); }

int64_t Monitor::time_slice() const {
  const bool expected = spinning_regions_.load(std::memory_order_relaxed) > 0;
  return expected ? tick_ns : std::max(tick_ns, pool_.settings().time_slice_ns);
}

// False if nobody there would listen, or somebody was asked and did not.
bool Monitor::ask_to_switch(int pu, Watch& watch) {
  if (watch.asked) return false;
  pool_.each_worker(pu, [&watch](Worker& worker) {
    const Group* group = worker.group.load(std::memory_order_acquire);  // see Worker::group
    if (!group || !group->unit()) return;
    worker.asked_to_switch.store(true, std::memory_order_relaxed);
    watch.asked = true;
  });
  return watch.asked;
}

// Not where all that serve the PU are kernel threads of other regions' makers.
bool Monitor::somebody_may_run(int pu, const RunQueue::Oldest& it) const {
  bool may = false;
  pool_.each_worker(pu, [&](const Worker& worker) { may = may || worker.may_run(it.initial); });
  return may;
}

void Monitor::serve_oldest(int pu, Watch& watch, int64_t now) {
  const auto waits_too_long = [&](Watch::Longest& longest, Serve what) {
    const RunQueue::Oldest it = pool_.pu_queue(pu).oldest(what);
    if (!it || it != longest.it) longest = {it, now, watch.cpu_ns, 0};
    if (!it || !slice_is_over(now - longest.since, watch.cpu_ns - longest.cpu_then_ns))
      return false;
    longest.since = now;
    longest.cpu_then_ns = watch.cpu_ns;
    ++longest.asked;
    return true;
  };
  const bool fiber = waits_too_long(watch.fiber, Serve::fiber);
  const bool seed = waits_too_long(watch.seed, Serve::seed);
  if (!fiber && !seed) return;
  if (fiber && watch.fiber.asked > slices_asked) record_relief();
  if ((fiber && (watch.fiber.asked > slices_asked || !somebody_may_run(pu, watch.fiber.it))) ||
      (seed && !somebody_may_run(pu, watch.seed.it)))
    relieve(pu, 1);
  // In turn, where both wait.
  const Serve next = fiber && (!seed || watch.fiber.asked % 2 != 0) ? Serve::fiber : Serve::seed;
  ask_to_serve(pu, next);
}

void Monitor::ask_to_serve(int pu, Serve what) {
  pool_.each_worker(pu, [what](Worker& worker) {
    worker.asked_to_serve.store(what, std::memory_order_relaxed);  // relaxed: see there
  });
}

// Turns are taken whenever units take theirs, and where PUs run what is in their own queues, and
// say nothing of what waits in a unit or at a level.
void Monitor::serve_above(int pu) {
  const auto waits_too_long = [this](Group::Longest& longest, const RunQueue::Oldest& it) {
    if (!it || it != longest.it) {
      longest = {it, 0};
      return false;
    }
    longest.waited_ns += since_poll_ns_;
    if (longest.waited_ns < time_slice()) return false;
    longest.waited_ns = 0;
    return true;
  };
  // What waits too long in the queue; none: nothing does. Where both do they come in turn: who is
  // not looked at is due at the next poll.
  const auto look = [&](RunQueue& queue, Group::Longest& fiber, Group::Longest& seed) {
    if (waits_too_long(seed, queue.oldest(Serve::seed))) return Serve::seed_above;
    if (waits_too_long(fiber, queue.oldest(Serve::fiber))) return Serve::fiber_above;
    return Serve::none;
  };
  const int own = pool_.machine().pu_level(pu);
  each_level_of(pu, [&](int level) {
    pool_.each_attached(level, [&](Group& unit) {
      const Serve what = look(unit.queue, unit.longest_fiber, unit.longest_seed);
      if (what != Serve::none) ask_to_serve(pu, what);
    });
    if (level == own) return false;
    LevelWatch& at = levels_[static_cast<size_t>(level)];
    const Serve what = look(pool_.level_queue(level), at.fiber, at.seed);
    const topo::Level& here = pool_.machine().levels()[static_cast<size_t>(level)];
    for (int below = 0; what != Serve::none && below < here.pu_count; ++below)
      ask_to_serve(here.first_pu + below, what);
    return false;
  });
}

void Monitor::relieve(int pu, int extras) {
  if (pool_.slot(pu).starting.load(std::memory_order_relaxed) > 0) return;  // relief is coming
  pool_.pu_queue(pu).free_an_external();
  const int needed = waiting(pu, most_extras_at_once);
  pool_.add_extras(pu, extras < needed ? extras : needed);
}

int Monitor::waiting(int pu, int most) const {
  int sum = 0;
  each_level_of(pu, [&](int level) {
    sum += pool_.level_queue(level).waiting(most) + pool_.waiting_in_attached(level, most);
    return false;
  });
  return sum;
}

}  // namespace xylem::sched
