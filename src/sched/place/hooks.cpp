// Owns: hooks at work. See hooks.hpp.
#include "sched/place/hooks.hpp"

#include <algorithm>
#include <vector>

#include "mem/map/memory.hpp"
#include "mem/map/regions.hpp"
#include "os/clock.hpp"
#include "sched/group/groups.hpp"
#include "sched/place/search.hpp"
#include "sched/worker/misses.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

using Standing = RunQueue::Standing;

namespace {

// A PU that has had nothing to run for so long idles for long.
constexpr int64_t long_ns = 2'000'000;
// The hook is asked again when the PU has idled for twice as long, at last in such distances.
constexpr int64_t longest_between_ns = 64'000'000;
// No look for so long: no region was open.
constexpr int64_t pause_ns = 20'000'000;
// Pages of a range of which it is asked where they are.
constexpr size_t most_pages = 64;
// Entries of queues that a view has at most; what is younger is not shown.
constexpr size_t most_shown = 4096;

bool sleeps(SlotState state) { return state == SlotState::parked || state == SlotState::absent; }
bool has_nothing_to_run(SlotState state) { return state == SlotState::searching || sleeps(state); }

bool something_waits(Pool& pool) {
  for (size_t level = 0; level < pool.machine().levels().size(); ++level)
    if (pool.level_queue(static_cast<int>(level)).count() > 0) return true;
  return false;
}

}  // namespace

struct Hooks::Scene {
  struct Top {
    Standing standing;
    int level;  // of the queue
  };
  std::vector<Top> tops;
  std::vector<plan::Entity> entities;
  std::vector<plan::Use> uses;
  std::vector<int64_t> idle_ns;
  std::vector<int64_t> bytes;  // of each entity on each node; empty: nobody said
  plan::View view;

  int top_of(int entity) const {
    const int parent = view.entity(entity).parent;
    return parent < 0 ? entity : parent;
  }
};

Hooks::Hooks(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning)
    : machine_(machine),
      policy_(policy),
      tuning_(tuning),
      nodes_(machine.node_levels()),
      watches_(new Watch[static_cast<size_t>(machine.pu_count())]) {}

// --- what the policy sees ------------------------------------------------------------------------

namespace {

template <typename Top>
void copy_queue(RunQueue& queue, int level, std::vector<Top>& tops) {
  const int count = queue.count();
  if (count == 0 || tops.size() == most_shown) return;
  std::vector<Standing> room(std::min(static_cast<size_t>(count), most_shown - tops.size()));
  room.resize(queue.copy(room, load_of));
  for (const Standing& standing : room) tops.push_back({standing, level});
}

plan::Entity top_entity(const Standing& standing, int level) {
  plan::Entity entity;
  entity.allowed = standing.pinned ? level : 0;
  entity.level = level;
  entity.priority = standing.priority;
  entity.last_pu = standing.pu;
  if (standing.kind == EntityKind::fiber) return entity;
  entity.kind = plan::EntityKind::bubble;
  entity.load = std::max<int64_t>(standing.load, standing.hi - standing.lo);
  return entity;
}

plan::Use use_of(const Group* group) {
  if (!group) return {};
  return {.running = running_inside(*group),
          .cpu_ns = cpu_ns_inside(*group),
          .misses = misses_inside(*group)};
}

// Of what a bubble of the program owns.
void add_owned(const Group& bubble, std::span<int64_t> by_node) {
  const uint64_t number = bubble.number.load(std::memory_order_relaxed);  // only told
  for (const mem::Region& range : mem::regions().all())
    if (range.owner.kind == mem::OwnerKind::bubble && range.owner.identity == number)
      mem::add_bytes_by_node(reinterpret_cast<const void*>(range.start), range.bytes, by_node,
                             most_pages);
}

}  // namespace

// Memory belongs to the bubbles that the program made, whose threads stand here as seeds.
void Hooks::add_memory(Scene& scene) const {
  const auto owner = [&scene](size_t top) -> const Group* {
    const Standing& its = scene.tops[top].standing;
    const bool is_bubble = its.kind == EntityKind::seed_range && its.group;
    return is_bubble && its.group->kind == GroupKind::program ? its.group : nullptr;
  };
  for (size_t top = 0; top < scene.tops.size(); ++top) {
    const Group* bubble = owner(top);
    if (!bubble) continue;
    scene.bytes.resize(scene.uses.size() * nodes_.size());
    add_owned(*bubble, std::span(scene.bytes).subspan(top * nodes_.size(), nodes_.size()));
  }
}

void Hooks::show(Pool& pool, Scene& scene, int64_t now_ns) const {
  for (int level = 0; level < static_cast<int>(machine_.levels().size()); ++level)
    copy_queue(pool.level_queue(level), level, scene.tops);
  finish(scene, now_ns);
}

// Of the tops, the rest.
void Hooks::finish(Scene& scene, int64_t now_ns) const {
  scene.entities.resize(2 * scene.tops.size());
  plan::Forest forest(scene.entities);
  for (const Scene::Top& top : scene.tops) forest.add(-1, top_entity(top.standing, top.level));
  for (size_t i = 0; i < scene.tops.size(); ++i)
    if (const Standing& its = scene.tops[i].standing; its.kind == EntityKind::seed_range)
      forest.add(static_cast<int>(i), {.count = its.hi - its.lo});
  forest.finish(machine_.levels());
  scene.uses.resize(static_cast<size_t>(forest.count()));
  for (size_t i = 0; i < scene.tops.size(); ++i) {
    const Standing& its = scene.tops[i].standing;
    const bool is_known = i > 0 && scene.tops[i - 1].standing.group == its.group;
    if (its.kind == EntityKind::seed_range)
      scene.uses[i] = is_known ? scene.uses[i - 1] : use_of(its.group);
  }
  for (int pu = 0; pu < machine_.pu_count(); ++pu) {
    const int64_t since = watches_[static_cast<size_t>(pu)].since.load(std::memory_order_relaxed);
    scene.idle_ns.push_back(since == 0 ? 0 : std::max<int64_t>(now_ns - since, 1));
  }
  add_memory(scene);
  scene.view = forest.view(machine_.levels());
  scene.view.tuning = tuning_;
  scene.view.memory = {nodes_, scene.bytes};
  scene.view.statistics = {scene.uses, scene.idle_ns, counts_misses()};
}

// --- what it says, carried out -------------------------------------------------------------------

namespace {

// Members lo to hi-1 of what stood in a queue go to a level's.
struct Piece {
  int lo, hi, level;
};

// Pieces that have all of lo to hi-1: as the moves say, and what they leave out at `rest`.
std::vector<Piece> pieces_between(int lo, int hi, std::vector<Piece> moved, int rest) {
  std::ranges::sort(moved, {}, &Piece::lo);
  std::vector<Piece> all;
  const auto add = [&](int end, int level) {
    end = std::min(end, hi);
    if (end <= lo) return;
    if (!all.empty() && all.back().level == level)
      all.back().hi = end;
    else
      all.push_back({lo, end, level});
    lo = end;
  };
  for (const Piece& piece : moved) {
    add(piece.lo, rest);
    add(piece.hi, piece.level);
  }
  add(hi, rest);
  return all;
}

// Where others find it: the queue of the level, or of the neighbour where an external thread sits
// there that runs nothing of the region; and who is told.
struct Target {
  RunQueue& queue;
  int pu;
};

Target target(Pool& pool, int level, bool pinned, const ExternalThread* initial) {
  const topo::Level& where = pool.machine().levels()[static_cast<size_t>(level)];
  const int pu = pinned ? where.first_pu : pool.served_pu(where.first_pu, initial);
  return {where.pu_count == 1 ? pool.pu_queue(pu) : pool.level_queue(level), pu};
}

void put(Pool& pool, trace::Source& trace, SeedRange& seeds, int level) {
  const ExternalThread* initial = seeds.bubble->initial;
  const int count = seeds.hi - seeds.lo;
  const auto [queue, pu] = target(pool, level, seeds.pinned, initial);
  trace::emit<traced::moved>(trace, seeds, queue);
  pool.wake_for(pu, queue.push_fresh(seeds), initial);  // from here on they may run
  if (!plan::is_pu(pool.machine().levels(), level)) pool.wake_below(level, count, initial);
}

void put(Pool& pool, Fiber& fiber, int level) {
  const ExternalThread* initial = fiber.initial;
  const auto [queue, pu] = target(pool, level, fiber.pinned, initial);
  trace::emit<traced::woken>(fiber, queue);
  pool.wake_for(pu, queue.push_ready(fiber), initial);  // from here on it may run, and end
  if (!plan::is_pu(pool.machine().levels(), level)) pool.wake_below(level, 1, initial);
}

}  // namespace

// In the order of the first moves.
bool Hooks::carry_out(Pool& pool, const Scene& scene, const plan::Plan& plan) {
  bool is_whole = true;
  std::vector<bool> is_done(scene.tops.size());
  for (const plan::Move& first : plan.moves()) {
    const int top = scene.top_of(first.entity);
    if (is_done[static_cast<size_t>(top)]) continue;
    is_done[static_cast<size_t>(top)] = true;
    const auto& [standing, level] = scene.tops[static_cast<size_t>(top)];
    int rest = level;
    std::vector<Piece> moved;
    for (const plan::Move& move : plan.moves()) {
      if (move.entity == top) rest = move.level;
      if (move.entity == top || scene.top_of(move.entity) != top) continue;
      const int lo = standing.lo + move.first;
      moved.push_back({lo, lo + move.count, move.level});
    }
    if (moved.empty() && rest == level) continue;
    Entity* taken = pool.level_queue(level).take_out(standing);
    if (!taken) {
      is_whole = false;
      continue;
    }
    if (taken->kind == EntityKind::fiber) {
      put(pool, *static_cast<Fiber*>(taken), rest);
      continue;
    }
    auto& seeds = *static_cast<SeedRange*>(taken);
    const std::vector<Piece> pieces = pieces_between(seeds.lo, seeds.hi, moved, rest);
    std::vector<SeedRange*> ranges;
    for (size_t i = 0; i + 1 < pieces.size(); ++i) {
      ranges.push_back(&seeds.bubble->new_seed_range(pieces[i].lo, pieces[i].hi));
      ranges.back()->pinned = seeds.pinned;
    }
    ranges.push_back(&seeds);
    seeds.lo = pieces.back().lo;
    seeds.hi = pieces.back().hi;
    for (size_t i = 0; i < pieces.size(); ++i) put(pool, trace_, *ranges[i], pieces[i].level);
  }
  return is_whole;
}

// --- when it is asked ----------------------------------------------------------------------------

bool Hooks::ask(Pool& pool, Hook hook, int pu, int64_t now_ns) {
  if (!something_waits(pool)) return true;
  Scene scene;
  show(pool, scene, now_ns);
  if (scene.tops.empty()) return true;
  plan::Plan plan;
  decide_hook(policy_, hook, scene.view, pu, random_, plan);
  return carry_out(pool, scene, plan);
}

// Whether the PU has idled for long, or the policy was asked of that.
bool Hooks::Watch::was_long(int64_t now_ns) const {
  const int64_t began = since.load(std::memory_order_relaxed);
  return began != 0 && (ask_at.load(std::memory_order_relaxed) != 0 || now_ns - began >= long_ns);
}

// Once the PU's worker sleeps; one that searches, as between two threads, after a while. While
// nothing waits nobody is asked, and the next poll looks again.
void Hooks::watch_idle(Pool& pool, int pu, bool sleeps, int64_t now_ns) {
  Watch& watch = watches_[static_cast<size_t>(pu)];
  const int64_t idle_ns = now_ns - watch.since.load(std::memory_order_relaxed);
  const int64_t ask_at = watch.ask_at.load(std::memory_order_relaxed);
  const bool is_due = ask_at != 0 ? now_ns >= ask_at : sleeps || idle_ns >= long_ns;
  if (!policy_.idle || !is_due || !something_waits(pool)) return;
  const int64_t until_next = std::clamp(idle_ns, long_ns, longest_between_ns);
  watch.ask_at.store(now_ns + until_next, std::memory_order_relaxed);
  ask(pool, Hook::idle, pu, now_ns);
}

void Hooks::watch(Pool& pool, int pu, int64_t now_ns) {
  Watch& watch = watches_[static_cast<size_t>(pu)];
  const int64_t since = watch.since.load(std::memory_order_relaxed);
  const SlotState state = pool.slot(pu).state.load();
  if (has_nothing_to_run(state)) {
    watch.wakes_again = false;
    if (since == 0) {
      watch.ask_at.store(0, std::memory_order_relaxed);
      watch.since.store(now_ns, std::memory_order_relaxed);
    }
    watch_idle(pool, pu, sleeps(state), now_ns);
  } else if (since != 0 || watch.wakes_again) {
    const bool was_long = watch.wakes_again || watch.was_long(now_ns);
    watch.since.store(0, std::memory_order_relaxed);
    watch.wakes_again = was_long && policy_.wake && !ask(pool, Hook::wake, pu, now_ns);
  }
}

// release: pairs with poll_recorded()
void Hooks::record(Pool& pool, int pu) {
  Watch& watch = watches_[static_cast<size_t>(pu)];
  if (watch.recorded.exchange(true, std::memory_order_release)) return;
  some_recorded_.store(true, std::memory_order_release);
  pool.monitor().poke();
}

void Hooks::record_sleep(Pool& pool, int pu) {
  if (pool.stealable().any()) record(pool, pu);  // what only its PU may run is seen by the polls
}

void Hooks::record_run(Pool& pool, int pu) {
  if (watches_[static_cast<size_t>(pu)].was_long(os::now_ns())) record(pool, pu);
}

void Hooks::poll_recorded(Pool& pool, int64_t now_ns) {
  if (!some_recorded_.exchange(false, std::memory_order_acquire)) return;
  look(pool, now_ns);
  for (int pu = 0; pu < pool.pu_count(); ++pu)
    if (watches_[static_cast<size_t>(pu)].recorded.exchange(false, std::memory_order_acquire))
      watch(pool, pu, now_ns);
}

// Time without a look is not idle; but who was told of a PU that idles is told when it runs again.
void Hooks::look(Pool& pool, int64_t now_ns) {
  const bool paused = now_ns - looked_at_ > pause_ns;
  looked_at_ = now_ns;
  for (int pu = 0; paused && pu < pool.pu_count(); ++pu) {
    Watch& watch = watches_[static_cast<size_t>(pu)];
    const bool was_told = watch.ask_at.load(std::memory_order_relaxed) != 0;
    if (watch.since.load(std::memory_order_relaxed) != 0)
      watch.since.store(was_told ? now_ns : 0, std::memory_order_relaxed);
  }
}

void Hooks::poll(Pool& pool, int64_t now_ns) {
  look(pool, now_ns);
  for (int pu = 0; pu < pool.pu_count(); ++pu) watch(pool, pu, now_ns);
}

// --- bubbles that are met ------------------------------------------------------------------------

Work Hooks::take_met(Worker& worker, RunQueue& queue, const Standing& met) {
  Scene scene;
  scene.tops.push_back(
      {met, queue.level.load(std::memory_order_relaxed)});  // relaxed: written once
  finish(scene, os::now_ns());
  plan::Random random(met_.fetch_add(1, std::memory_order_relaxed));
  const plan::Share share = decide_met(policy_, scene.view, worker.pu, random);
  if (share.members == 0) return {};
  auto [work, rest, lifted] = queue.take_share(worker, met, share);
  if (!work) return {};
  Pool& pool = *worker.pool;
  trace::emit<traced::stolen>(worker, work, rest, scene.tops[0].level);
  if (auto* left = static_cast<SeedRange*>(lifted.front())) {
    lifted.remove(*left);
    put(pool, worker.trace, *left, share.rest_level);
  }
  if (rest) {
    const ExternalThread* initial = rest->bubble->initial;
    pool.wake_for(worker.pu, worker.queue().push_fresh(*rest), initial);
  }
  return work;
}

}  // namespace xylem::sched
