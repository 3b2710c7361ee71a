// Owns: distribution of bubbles. See engine.hpp.
#include "exec/engine.hpp"

#include <array>

namespace xylem::exec {

using fiber::Bubble;
using fiber::Locked;
using fiber::Pool;
using fiber::Share;
using fiber::Worker;

namespace {
// Written once under the runtime's initialisation lock.
constinit std::atomic<Engine*> the_engine{nullptr};
constexpr size_t most_memos = 64;
}  // namespace

Engine* Engine::instance() { return the_engine.load(std::memory_order_acquire); }
void Engine::install(Engine* engine) { the_engine.store(engine, std::memory_order_release); }

Engine::Engine(const topo::Machine& machine, const policy::Policy& policy)
    : machine_(machine), policy_(policy), search_(machine, policy.steal) {}

// Top-level teams start at PU 0, wherever their maker runs: member i is then on the same PU region
// after region.
const Engine::Memo* Engine::plan_for(int n) {
  constexpr int maker_pu = 0;
  Locked locked(lock_);
  for (const auto& memo : memos_)
    if (memo->n == n) return memo.get();
  if (memos_.size() == most_memos) return nullptr;
  std::array<plan::Entity, 2> memory;
  const plan::View view = plan::flat_team(machine_.levels(), memory, n, maker_pu);
  plan::Plan plan;
  plan::Random random(static_cast<uint64_t>(n));
  policy_.place(view, random, plan);
  auto memo = std::make_unique<Memo>();
  memo->n = n;
  for (const plan::Move& move : plan.moves()) {
    const bool run = view.entity(move.entity).kind == plan::EntityKind::run;
    if (!run && move.burst) continue;                       // what it holds follows
    const int lo = run && move.first > 1 ? move.first : 1;  // member 0 runs already
    const int hi = run ? move.first + move.count : n;
    if (lo < hi) memo->ranges.push_back({lo, hi, move.level});
  }
  memos_.push_back(std::move(memo));
  return memos_.back().get();
}

void Engine::distribute(Bubble& bubble, int n, Worker& worker) {
  Pool& pool = *worker.pool;
  const Memo* memo = plan_for(n);
  if (!memo) {  // a program with very many sizes of team: its teams are spread by stealing
    push_locally(bubble, n, worker);
    return;
  }
  for (const Range& range : memo->ranges) {
    const topo::Level& level = machine_.levels()[static_cast<size_t>(range.level)];
    const int pu = pool.served_pu(level.first_pu, bubble.root);
    const int queue = level.pu_count == 1 ? machine_.pu_level(pu) : range.level;
    pool.level_queue(queue).push_fresh(bubble.new_share(range.lo, range.hi));
    pool.wake_for(pu, false);
  }
}

void Engine::distribute_bound(Bubble& bubble, std::span<const int> pus, Worker& worker) {
  Pool& pool = *worker.pool;
  for (int i = 1; i < static_cast<int>(pus.size()); ++i) {
    const int pu = pus[static_cast<size_t>(i)];
    Share& share = bubble.new_share(i, i + 1);
    share.pinned = true;
    pool.pu_queue(pu).push_fresh(share);
    pool.wake_for(pu, true);
  }
}

Share& Engine::push_locally(Bubble& bubble, int n, Worker& worker) {
  Share& share = bubble.new_share(1, n);
  worker.queue().push_fresh(share);
  worker.pool->wake_for(worker.pu, false);
  return share;
}

}  // namespace xylem::exec
