// Owns: loads that the program told. See told_loads.hpp.
#include "sched/place/told_loads.hpp"

#include <algorithm>

namespace xylem::sched {

using base::Locked;

void ToldLoads::tell(ThreadPath path, int64_t load) {
  Locked locked(lock_);
  Told* told = &all_;
  for (const int number : path) {
    const auto index = static_cast<size_t>(number);
    if (index >= told->inner.size()) told->inner.resize(index + 1);
    told = &told->inner[index];
  }
  load = std::max<int64_t>(load, 0);
  if (told->load == load) return;
  told->load = load;
  version_.fetch_add(1, std::memory_order_relaxed);
}

bool ToldLoads::write_to(plan::TeamTree& tree) const {
  if (version() == 0) return false;
  Locked locked(lock_);
  std::vector<const Told*> of_team;  // of each team's maker; null: nothing was told inside
  bool any = false;
  for (plan::TreeTeam& team : tree) {
    const Told* told = &all_;
    if (team.outer >= 0) {
      told = of_team[static_cast<size_t>(team.outer)];
      const auto maker = static_cast<size_t>(team.maker);
      told = told && maker < told->inner.size() ? &told->inner[maker] : nullptr;
    }
    of_team.push_back(told);
    if (!told) continue;
    for (const Told& member : told->inner) team.loads.push_back(member.load);
    team.loads.resize(static_cast<size_t>(team.n));
    if (std::ranges::all_of(team.loads, [](int64_t load) { return load == 0; }))
      team.loads.clear();
    else
      any = true;
  }
  return any;
}

int64_t ToldLoads::of_team(int n) const {
  if (version() == 0) return 0;
  Locked locked(lock_);
  int64_t sum = 0, told = 0;
  for (size_t member = 0; member < static_cast<size_t>(n); ++member) {
    const int64_t load = member < all_.inner.size() ? all_.inner[member].load : 0;
    told += load;
    sum += std::max<int64_t>(load, 1);
  }
  return told == 0 ? 0 : sum;
}

}  // namespace xylem::sched
