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
  told_ += (loads_[index] != 0) - (before != 0);
  changed_ |= loads_[index] != before;
}

const plan::Placement* ToldLoads::placement(int n, Engine& engine) {
  std::vector<int64_t> loads;
  {
    base::Locked locked(lock_);
    if (told_ == 0) return nullptr;
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
