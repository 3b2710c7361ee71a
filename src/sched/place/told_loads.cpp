// Owns: told loads. See told_loads.hpp.
#include "sched/place/told_loads.hpp"

#include <algorithm>

namespace xylem::sched {

void ToldLoads::tell(int member, int64_t load) {
  base::Locked locked(lock_);
  const auto index = static_cast<size_t>(member);
  if (index >= loads_.size()) loads_.resize(index + 1);
  const int64_t before = loads_[index];
  loads_[index] = std::max<int64_t>(load, 0);
  // relaxed: who reads it without the lock may be a region late
  told_.fetch_add((loads_[index] != 0) - (before != 0), std::memory_order_relaxed);
  changed_ |= loads_[index] != before;
}

std::vector<int64_t> ToldLoads::of_team(int n) const {
  std::vector<int64_t> loads;
  if (told_.load(std::memory_order_relaxed) == 0) return loads;
  {
    base::Locked locked(lock_);
    loads = loads_;
  }
  loads.resize(static_cast<size_t>(n));
  for (int64_t& load : loads) load = std::max<int64_t>(load, 1);
  return loads;
}

const plan::Placement* ToldLoads::placement(int n, Engine& engine) {
  if (told_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::vector<int64_t> loads;
  {
    base::Locked locked(lock_);
    if (!changed_ && placement_.n == n) return &placement_;
    loads = loads_;
    changed_ = false;
  }
  loads.resize(static_cast<size_t>(n));
  placement_ = engine.by_loads(loads);  // asks the policy, without the lock
  placement_.why = plan::Why::told_loads;
  return &placement_;
}

}  // namespace xylem::sched
