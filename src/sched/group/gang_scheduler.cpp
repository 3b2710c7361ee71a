// Owns: turns of units. See gang_scheduler.hpp.
#include "sched/group/gang_scheduler.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "os/clock.hpp"
#include "plan/holders.hpp"
#include "sched/group/decision.hpp"
#include "sched/group/groups.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

static_assert(plan::held_back == sched::suspended);

namespace {

// Polls in a row that find nothing to run before a turn is passed on: one poll may come between a
// thread's way from its worker to the queue.
constexpr int polls_until_quiet = 2;

// What is made up for later: more than so many slices, and than so many nanoseconds, is forgotten.
constexpr int64_t most_overdrawn_slices = 8, most_overdrawn_ns = 80'000'000;

// A turn that makes up for others' is longer than twice its slice only if it is no longer than
// this.
constexpr int64_t longest_turn_ns = 20'000'000;

// An external thread's fiber stands in PU 0's queue, or is suspended, and is not in the unit's
// queue: it runs, or soon will.
bool has_something_to_run(Group& unit) {
  return unit.queue.count() > 0 || unit.unit_running.load(std::memory_order_relaxed) > 0 ||
         unit.external_waits();
}

}  // namespace

// Tops, and what each of them holds behind them.
struct GangScheduler::Scene {
  std::vector<int> members;  // indices in tops_, in the order of the view's tops
  std::vector<plan::Entity> entities;
  plan::View view;

  int top_of(int member) const {
    return static_cast<int>(std::find(members.begin(), members.end(), member) - members.begin());
  }
};

GangScheduler::GangScheduler(const topo::Machine& machine, const policy::Policy& policy,
                             plan::Tuning tuning, int64_t slice_ns)
    : machine_(machine),
      policy_(policy),
      tuning_(tuning),
      nodes_(machine.node_levels()),
      slice_ns_(slice_ns) {}

int GangScheduler::index_of(const Group& unit) const {
  for (size_t i = 0; i < tops_.size(); ++i)
    if (tops_[i].unit == &unit) return static_cast<int>(i);
  return -1;
}

// --- what the policy sees ------------------------------------------------------------------------

namespace {

// A level of that kind for all of them, of kinds inside each other the highest; -1 if there is
// none. Where the kind has levels of its own it is one of these, rather than one that stands for
// it.
int level_of_kind(const topo::Machine& machine, std::optional<topo::LevelKind> kind) {
  if (!kind) return -1;
  const auto levels = machine.levels();
  auto found = std::ranges::find(levels, kind, &topo::Level::kind);
  const auto stands_for_it = [kind](const topo::Level& it) { return it.stands_for(*kind); };
  if (found == levels.end()) found = std::ranges::find_if(levels, stands_for_it);
  if (found == levels.end()) return -1;
  auto level = static_cast<int>(found - levels.begin());
  for (int above = level; above >= 0; above = levels[static_cast<size_t>(above)].parent)
    if (stands_for_it(levels[static_cast<size_t>(above)])) level = above;
  return level;
}

}  // namespace

// relaxed: what the program says of a bubble holds from the next decision on
plan::Entity GangScheduler::as_seen(const Top& top) const {
  plan::Entity bubble = top.bubble;
  const Group& unit = *top.unit;
  bubble.kind = plan::EntityKind::bubble;
  bubble.load = unit.load.load(std::memory_order_relaxed);
  bubble.priority = unit.priority.load(std::memory_order_relaxed);
  bubble.burst_level = level_of_kind(machine_, unit.burst_kind.load(std::memory_order_relaxed));
  bubble.gang_level = level_of_kind(machine_, unit.gang_kind.load(std::memory_order_relaxed));
  return bubble;
}

// Of a policy that shares the machine among all: what has nothing to run.
bool GangScheduler::quiet(const Top& top) const {
  return policy_.sees_all && top.quiet_polls >= polls_until_quiet;
}

// All who have something to run.
void GangScheduler::draw(Scene& scene) const {
  for (int i = 0; i < static_cast<int>(tops_.size()); ++i)
    if (!quiet(tops_[static_cast<size_t>(i)])) scene.members.push_back(i);
  show(scene);
}

// Of each member of the scene a bubble with one run of threads.
void GangScheduler::show(Scene& scene) const {
  scene.entities.resize(2 * scene.members.size());
  plan::Forest forest(scene.entities);
  for (const int member : scene.members)
    forest.add(-1, as_seen(tops_[static_cast<size_t>(member)]));
  for (size_t i = 0; i < scene.members.size(); ++i) {
    const Top& top = tops_[static_cast<size_t>(scene.members[i])];
    const int threads = top.unit->unit_threads.load(std::memory_order_relaxed);  // a sum
    forest.add(static_cast<int>(i), {.count = std::max(1, threads), .level = top.run_level});
  }
  forest.finish(machine_.levels());
  scene.view = forest.view(machine_.levels());
  scene.view.tuning = tuning_;
  scene.view.memory.nodes = nodes_;
}

// --- plans carried out ---------------------------------------------------------------------------

// The record of a bubble's suspension comes after it: nobody takes of it any more then.
void GangScheduler::tell(const Group& unit, int level) {
  const uint64_t id = unit.trace_id.load(std::memory_order_relaxed);  // of who came
  if (id != 0) trace::emit<sched::traced::attached>(trace_, id, level);
}

void GangScheduler::attach(Pool& pool, Top& top) {
  const int level = top.run_level >= 0 ? top.run_level : top.bubble.level;
  if (top.unit->level.load() == level) return;
  top.slice_began = now_ns_;
  if (level >= 0) tell(*top.unit, level);
  sched::attach(pool, *top.unit, level);
  if (level < 0) tell(*top.unit, level);
}

// Those that are suspended go first, so that who comes finds the workers free sooner.
void GangScheduler::carry_out(Pool& pool, Scene& scene, const plan::Plan& plan) {
  ++version_;
  plan::settle(plan, scene.view, scene.entities);
  for (const bool suspends : {true, false})
    for (size_t i = 0; i < scene.members.size(); ++i) {
      Top& top = tops_[static_cast<size_t>(scene.members[i])];
      const plan::Entity& seen = scene.entities[i];
      top.bubble.level = seen.level;
      top.bubble.held_since = seen.held_since;
      const int run_level = scene.entities[static_cast<size_t>(seen.first_child)].level;
      top.run_level = seen.level < 0 ? -1 : run_level;
      if (suspends == (seen.level == plan::held_back)) attach(pool, top);
    }
}

template <typename Ask>
bool GangScheduler::decide(Scene& scene, plan::Plan& plan, Ask ask) {
  const uint64_t version = version_;
  plan::Random random = random_;
  lock_.unlock();
  ask(scene, random, plan);
  lock_.lock();
  if (version_ != version) return false;
  random_ = random;
  return true;
}

// Of a policy that places each without the others, the newcomer alone. False: there is nobody.
bool GangScheduler::draw_for(Scene& scene, const Group* newcomer) const {
  if (policy_.sees_all) {
    draw(scene);
  } else if (const int top = newcomer ? index_of(*newcomer) : -1; top >= 0) {
    scene.members = {top};
    show(scene);
  }
  return !scene.members.empty();
}

// Places all anew, of a policy that sees all; else the newcomer.
void GangScheduler::place(Pool& pool, const Group* newcomer) {
  const auto ask = [this](const Scene& scene, plan::Random& random, plan::Plan& plan) {
    decide_place(policy_, scene.view, random, plan);
  };
  for (;;) {
    Scene scene;
    plan::Plan plan;
    if (!draw_for(scene, newcomer)) return;
    if (decide(scene, plan, ask)) return carry_out(pool, scene, plan);
  }
}

// --- what slices cost ----------------------------------------------------------------------------

// Of those who have a turn: a processor for each thread that could run since the poll before.
void GangScheduler::record_what_is_wanted(int64_t now_ns) {
  for (Top& top : tops_) {
    if (top.bubble.level < 0) continue;
    Group& unit = *top.unit;
    const int ready = unit.queue.count() + unit.unit_running.load(std::memory_order_relaxed);
    const int64_t since = std::max(polled_at_ns_, top.slice_began);
    top.wanted += (now_ns - since) * std::min(ready, pus_of(top));
  }
  polled_at_ns_ = now_ns;
}

int GangScheduler::pus_of(const Top& top) const {
  return machine_.levels()[static_cast<size_t>(top.bubble.level)].pu_count;
}

// What the slice counts for: its length, less the time for which processors that it wanted were
// given to other processes. Where others share its level, its length; also where each thread is a
// kernel thread, as workers then have one clock after the other.
int64_t GangScheduler::charge(const Pool& pool, const Top& top) const {
  const int64_t length = now_ns_ - top.slice_began;
  if (!policy_.sees_all || pool.a_thread_each()) return length;
  const int64_t used = top.unit->unit_cpu_ns.load(std::memory_order_relaxed) - top.used_before;
  return std::max<int64_t>(0, length - (top.wanted - used) / pus_of(top));
}

// By how much those who share the machine are overdrawn on average.
int64_t GangScheduler::usual_overdraft() const {
  if (!policy_.sees_all) return 0;
  int64_t sum = 0, count = 0;
  for (const Top& top : tops_) {
    if (quiet(top)) continue;
    sum += top.overdrawn;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

// The monitor polls late where the machine is busy, and other processes take time from one gang and
// not from the next. What a slice gave too much, or too little, it takes from the next ones, or
// gives it there, so that all get the same in the long run.
// Slices that are much shorter than the monitor is late need turns of several slices for that.
int64_t GangScheduler::allowance(const Top& top) const {
  const int64_t slice = slice_of(top);
  const double due = static_cast<double>(top.overdrawn - usual_overdraft()) / usual_slices(top);
  return std::clamp(slice - static_cast<int64_t>(due), slice / 8,
                    std::max(2 * slice, longest_turn_ns));
}

// relaxed: what the program says of a bubble holds from the next slice on
int64_t GangScheduler::slice_of(const Top& top) const {
  const int64_t own = top.unit->slice_ns.load(std::memory_order_relaxed);
  return own > 0 ? own : slice_ns_;
}

// Where gangs have slices of their own, what they are overdrawn is compared in slices.
double GangScheduler::usual_slices(const Top& top) const {
  return static_cast<double>(slice_ns_) / static_cast<double>(slice_of(top));
}

int64_t GangScheduler::most_overdraft() const {
  return std::max(most_overdrawn_slices * slice_ns_, most_overdrawn_ns);
}

void GangScheduler::end_slice(const Pool& pool, Top& top) {
  const int64_t usual = usual_overdraft();
  const int64_t lowest = policy_.sees_all ? usual - most_overdraft() : 0;
  const double over = static_cast<double>(charge(pool, top) - slice_of(top)) * usual_slices(top);
  top.overdrawn =
      std::clamp(top.overdrawn + static_cast<int64_t>(over), lowest, usual + most_overdraft());
  top.slice_began = now_ns_;
  top.wanted = 0;
  top.used_before = top.unit->unit_cpu_ns.load(std::memory_order_relaxed);  // a sum
}

// If the answer is worth nothing the slice is still due, or it is not any more: the caller checks.
void GangScheduler::tick(Pool& pool, int top) {
  Scene scene;
  draw(scene);
  const int seen_as = scene.top_of(top);
  XYLEM_ASSERT(seen_as < scene.view.top_count,
               "the slice of a bubble ends that has nothing to run");
  plan::Plan plan;
  const auto ask = [this, seen_as](const Scene& its, plan::Random& random, plan::Plan& answer) {
    decide_tick(policy_, its.view, seen_as, random, answer);
  };
  if (!decide(scene, plan, ask)) return;
  end_slice(pool, tops_[static_cast<size_t>(top)]);
  carry_out(pool, scene, plan);
}

// --- coming and going ----------------------------------------------------------------------------

void GangScheduler::arrive(Pool& pool, Group& unit) {
  base::Locked locked(lock_);
  if (++unit.users > 1) return;
  // Not where a thief may take its threads elsewhere at once.
  const bool keeps = policy_.sees_all && (policy_.turns_on_levels || !policy_.steal.across_nodes);
  unit.keeps_to_level.store(keeps, std::memory_order_relaxed);
  now_ns_ = os::now_ns();
  Top top;
  top.unit = &unit;
  top.overdrawn = usual_overdraft();
  top.used_before = unit.unit_cpu_ns.load(std::memory_order_relaxed);  // a sum
  tops_.push_back(top);
  ++version_;
  place(pool, &unit);
}

// Out of the list before the lock is left: it may come again while the policy thinks.
void GangScheduler::remove(Pool& pool, int top, int level) {
  Group& unit = *tops_[static_cast<size_t>(top)].unit;
  tops_.erase(tops_.begin() + top);
  ++version_;
  sched::attach(pool, unit, level);
  if (policy_.sees_all) place(pool, nullptr);  // its turn is free
}

void GangScheduler::leave(Pool& pool, Group& unit) {
  base::Locked locked(lock_);
  if (--unit.users > 0) return;
  now_ns_ = os::now_ns();
  if (const int top = index_of(unit); top >= 0)
    remove(pool, top, sched::detached);
  else
    sched::attach(pool, unit, sched::detached);
}

void GangScheduler::set_free(Pool& pool, Group& unit) {
  base::Locked locked(lock_);
  const int top = index_of(unit);
  if (top < 0) return;
  now_ns_ = os::now_ns();
  tell(unit, 0);
  remove(pool, top, 0);
}

// --- slices --------------------------------------------------------------------------------------

// True if one that waits has something to run again: its turn may be free.
bool GangScheduler::record_who_is_quiet() {
  bool changed = false;
  for (Top& top : tops_) {
    const bool was_quiet = quiet(top);
    top.quiet_polls = has_something_to_run(*top.unit) ? 0 : top.quiet_polls + 1;
    changed |= was_quiet && top.quiet_polls == 0 && top.bubble.level == plan::held_back;
  }
  return changed;
}

// Those who have a turn and nothing to run are suspended, if others wait for a turn.
bool GangScheduler::suspend_quiet_ones(Pool& pool) {
  int rank = 0;
  bool somebody_waits = false, somebody_goes = false, somebody_attached = false;
  for (const Top& top : tops_) {
    rank = std::max(rank, top.bubble.held_since);
    somebody_waits |= top.bubble.level == plan::held_back && !quiet(top);
    somebody_goes |= top.bubble.level >= 0 && quiet(top);
    somebody_attached |= top.bubble.level >= 0;
  }
  if (!somebody_waits || (somebody_attached && !somebody_goes)) return false;
  ++version_;
  for (Top& top : tops_) {
    if (top.bubble.level < 0 || !quiet(top)) continue;
    top.bubble.level = plan::held_back;
    top.bubble.held_since = ++rank;
    top.run_level = -1;
    attach(pool, top);
  }
  return true;
}

bool GangScheduler::had_it_before(const Top& one, const Top& other) {
  if (one.slice_began != other.slice_began) return one.slice_began < other.slice_began;
  return one.bubble.level < other.bubble.level;
}

// Of those whose slice is over the one that had it first, and of these the one on the first level:
// by place in the list it would be the same ones again and again that are suspended first and come
// back in the turn of the next. -1 if there is none.
int GangScheduler::next_due() const {
  int due = -1;
  for (int i = 0; i < static_cast<int>(tops_.size()); ++i) {
    const Top& top = tops_[static_cast<size_t>(i)];
    if (top.bubble.level < 0 || top.slice_began == now_ns_ || quiet(top)) continue;
    if (now_ns_ - top.slice_began < allowance(top)) continue;
    if (due < 0 || had_it_before(top, tops_[static_cast<size_t>(due)])) due = i;
  }
  return due;
}

void GangScheduler::poll(Pool& pool, int64_t now_ns) {
  base::Locked locked(lock_);
  if (tops_.empty()) return;
  record_what_is_wanted(now_ns);
  now_ns_ = now_ns;
  const bool changed = record_who_is_quiet();
  if (policy_.sees_all && (suspend_quiet_ones(pool) || changed)) place(pool, nullptr);
  for (int due = next_due(); due >= 0; due = next_due()) tick(pool, due);
}

void GangScheduler::after_fork(bool in_child) {
  if (in_child) tops_.clear();
  ++version_;
  lock_.unlock();
}

}  // namespace xylem::sched
