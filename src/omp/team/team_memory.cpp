// Owns: laying a team out in one block: |Team|seed ranges of n-1 seeds|states of n members|.
#include "omp/team/team_memory.hpp"

#include <new>

namespace xylem::omp {

namespace {
using State = std::atomic<MemberState>;
constexpr size_t bytes_for(int n) {
  return sizeof(Team) + static_cast<size_t>(n - 1) * sizeof(sched::SeedRange) +
         static_cast<size_t>(n) * sizeof(State);
}
// A small team that waits takes a kibibyte at most; malloc's word and its alignment are 64 bytes.
// Checked locks are larger.
static_assert(base::kChecked || sched::block_room(bytes_for(4)) + 64 <= 1024);
}  // namespace

Team& make_team(int n, const sched::Thread& maker) {
  const size_t bytes = bytes_for(n);
  char* block = static_cast<char*>(sched::take_block(&maker, bytes));
  auto* team = new (block) Team;
  auto* seed_ranges = reinterpret_cast<sched::SeedRange*>(block + sizeof(Team));
  for (int i = 0; i < n - 1; ++i) new (seed_ranges + i) sched::SeedRange;
  auto* states = reinterpret_cast<State*>(seed_ranges + (n - 1));
  for (int i = 0; i < n; ++i) new (states + i) State(MemberState::seed);
  team->bytes = bytes;
  team->n = team->members = n;
  team->seed_ranges = seed_ranges;
  team->states = states;
  return *team;
}

void free_team(Team& team, const sched::Thread& maker) {
  delete[] team.helper_ranges.load(
      std::memory_order_relaxed);  // relaxed: all members have departed
  delete[] team.places;
  const size_t bytes = team.bytes;
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
