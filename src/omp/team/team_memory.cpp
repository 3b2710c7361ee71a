// Owns: laying a team out in one block: |Team|shares of n-1 seeds|states of n members|.
#include "omp/team/team_memory.hpp"

#include <new>

namespace xylem::omp {

namespace {
using State = std::atomic<MemberState>;
constexpr size_t bytes_for(int n) {
  return sizeof(Team) + static_cast<size_t>(n - 1) * sizeof(sched::Share) +
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
  auto* shares = reinterpret_cast<sched::Share*>(block + sizeof(Team));
  for (int i = 0; i < n - 1; ++i) new (shares + i) sched::Share;
  auto* states = reinterpret_cast<State*>(shares + (n - 1));
  for (int i = 0; i < n; ++i) new (states + i) State(MemberState::seed);
  team->bytes = bytes;
  team->n = team->members = n;
  team->shares = shares;
  team->states = states;
  return *team;
}

void free_team(Team& team, const sched::Thread& maker) {
  delete[] team.helper_shares.load(
      std::memory_order_relaxed);  // relaxed: all members have departed
  delete[] team.places;
  const size_t bytes = team.bytes;
  team.~Team();
  sched::put_block(&maker, &team, bytes);
}

sched::Share& helper_share(Team& team, int num) {
  // acquire and release: whoever loses the race uses the winner's array
  sched::Share* shares = team.helper_shares.load(std::memory_order_acquire);
  if (!shares) {
    auto* made = new sched::Share[static_cast<size_t>(team.n)];
    if (team.helper_shares.compare_exchange_strong(shares, made, std::memory_order_acq_rel)) {
      shares = made;
    } else {
      delete[] made;
    }
  }
  return shares[num];
}

}  // namespace xylem::omp
