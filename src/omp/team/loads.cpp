// Owns: told loads. See loads.hpp.
#include "omp/team/loads.hpp"

#include <algorithm>

namespace xylem::omp {

void MemberLoads::tell(int member, int64_t load) {
  base::Locked locked(lock_);
  const auto index = static_cast<size_t>(member);
  if (index >= loads_.size()) loads_.resize(index + 1);
  const int64_t before = loads_[index];
  loads_[index] = std::max<int64_t>(load, 0);
  told_ += (loads_[index] != 0) - (before != 0);
  changed_ |= loads_[index] != before;
}

const sched::Distribution* MemberLoads::distribution(int n, sched::Engine& engine) {
  base::Locked locked(lock_);
  if (told_ == 0) return nullptr;
  if (changed_ || distribution_.n != n) {
    std::vector<int64_t> loads = loads_;
    loads.resize(static_cast<size_t>(n));
    distribution_ = engine.distribution_by_load(loads);
    changed_ = false;
  }
  return &distribution_;
}

}  // namespace xylem::omp
