// Owns: laying a team out in one block: |Team|seed ranges of n-1 seeds|nodes of its
// tree|lists of who sleeps at its barrier|.
#include "omp/team/team_memory.hpp"

#include <algorithm>
#include <new>

#include "omp/team/runtime.hpp"

namespace xylem::omp {

namespace {

constexpr size_t line = CombiningTree::line;

constexpr size_t nodes_offset(int n) {
  const size_t end = sizeof(Team) + static_cast<size_t>(n - 1) * sizeof(sched::SeedRange);
  return (end + line - 1) / line * line;
}

// Lists begin a line, too.
constexpr size_t bytes_for(int n, int nodes, int lists) {
  if (lists == 0) return nodes_offset(n) + CombiningTree::bytes_for(nodes);
  return nodes_offset(n) + static_cast<size_t>(nodes) * line +
         static_cast<size_t>(lists) * sizeof(SleepersOfPu);
}

// Lists of who sleeps at the barrier of a team of n. Members that have a processor each seldom
// sleep; one processor's can share a list.
int lists_for(int n) {
  const int pus = machine().pu_count();
  return n > pus && pus > 1 ? pus : 0;
}

struct Layout {
  int span = 1, nodes = 0, lists = 0;
  size_t bytes = 0;
};

constexpr Layout alone = {.bytes = bytes_for(1, 0, 0)};

Layout layout_of(int n) {
  if (n == 1) return alone;
  Layout made;
  made.span = members_a_node(n);
  made.nodes = CombiningTree::nodes_for(n, made.span);
  made.lists = lists_for(n);
  made.bytes = bytes_for(n, made.nodes, made.lists);
  return made;
}

size_t bytes_of(const Team& team) {
  if (team.n == 1) return alone.bytes;
  return bytes_for(team.n, team.tree.count(), team.sleeps_by_pu ? machine().pu_count() : 0);
}

// A small team that waits takes less than a kibibyte (docs/performance.md), malloc's word included.
// Checked locks are larger.
static_assert(base::kChecked || sched::block_room(bytes_for(4, 1, 0)) + sizeof(size_t) <= 960);

}  // namespace

int members_a_node(int n) {
  const topo::Machine& on = machine();
  const int nodes = on.node_count();
  if (nodes <= 1) return n;
  const int pus_a_node = std::max(on.pu_count() / nodes, 1);
  return n <= pus_a_node ? n : std::max((n + nodes - 1) / nodes, pus_a_node);
}

std::span<SleepersOfPu> sleepers_by_pu(const Team& team) {
  char* last_node = reinterpret_cast<char*>(&team.tree.root());
  auto* first = reinterpret_cast<SleepersOfPu*>(last_node + line);
  return {first, static_cast<size_t>(machine().pu_count())};
}

Team& make_team(int n, const sched::Thread& maker) {
  const Layout layout = layout_of(n);
  char* block = static_cast<char*>(sched::take_block(&maker, layout.bytes));
  auto* team = new (block) Team;
  auto* seed_ranges = reinterpret_cast<sched::SeedRange*>(block + sizeof(Team));
  for (int i = 0; i < n - 1; ++i) new (seed_ranges + i) sched::SeedRange;
  team->n = team->members = n;
  team->seed_ranges = seed_ranges;
  if (n > 1) team->tree.open(block + nodes_offset(n), n, layout.span);
  team->sleeps_by_pu = layout.lists > 0;
  if (layout.lists > 0)
    for (SleepersOfPu& sleepers : sleepers_by_pu(*team)) new (&sleepers) SleepersOfPu;
  return *team;
}

void free_team(Team& team, const sched::Thread& maker) {
  delete[] team.helper_ranges.load(
      std::memory_order_relaxed);  // relaxed: all members have departed
  delete[] team.places;
  // relaxed: all members have departed
  if (ReductionTree* reductions = team.reductions.load(std::memory_order_relaxed)) [[unlikely]]
    reductions->free(&maker);
  const size_t bytes = bytes_of(team);
  team.~Team();
  sched::put_block(&maker, &team, bytes);
}

sched::SeedRange& helper_seeds(Team& team, int num) {
  // acquire and release: whoever loses the race uses the winner's array
  sched::SeedRange* seed_ranges = team.helper_ranges.load(std::memory_order_acquire);
  if (!seed_ranges) {
    auto* made = new sched::SeedRange[static_cast<size_t>(team.n)];
    if (team.helper_ranges.compare_exchange_strong(seed_ranges, made, std::memory_order_acq_rel)) {
      seed_ranges = made;
    } else {
      delete[] made;
    }
  }
  return seed_ranges[num];
}

}  // namespace xylem::omp
