// Owns: medians of what was measured. See history.hpp.
#include "hetero/model/history.hpp"

#include <algorithm>

namespace xylem::hetero {

void History::recall(double ns) { samples_[seen_++ % kept] = ns; }

void History::add(double ns) {
  if (++added_ == 1) return;
  if (strays_ == 0) usual_ = median();
  recall(ns);
  if (usual_ > 0) notice_drift(ns);
}

void History::notice_drift(double ns) {
  if (ns > drift_factor * usual_)
    strays_ = std::max(strays_, 0) + 1;
  else if (drift_factor * ns < usual_)
    strays_ = std::min(strays_, 0) - 1;
  else
    strays_ = 0;
  if (strays_ != drift_runs && strays_ != -drift_runs) return;
  std::array<double, drift_runs> newest;
  for (size_t back = 0; back < newest.size(); ++back) newest[back] = before_newest(back);
  seen_ = 0;
  for (size_t back = newest.size(); back > 0; --back) recall(newest[back - 1]);
  strays_ = 0;
  ++drifts_;
}

size_t History::count() const { return std::min(seen_, kept); }

std::vector<double> History::samples() const {
  std::vector<double> all;
  for (size_t back = count(); back > 0; --back) all.push_back(before_newest(back - 1));
  return all;
}

double History::median() const {
  if (seen_ == 0) return 0;
  std::array<double, kept> sorted = samples_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count() / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count()));
  return *middle;
}

}  // namespace xylem::hetero
