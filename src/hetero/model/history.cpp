// Owns: medians of what was measured. See history.hpp.
#include "hetero/model/history.hpp"

#include <algorithm>
#include <utility>

namespace xylem::hetero {

void History::add(double ns) {
  if (seen_ > 0) samples_[(seen_ - 1) % kept] = ns;
  ++seen_;
}

double History::median() const {
  if (seen_ < 2) return 0;
  std::array<double, kept> sorted = samples_;
  const size_t count = std::min(seen_ - 1, kept);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

Models::Line& Models::line_of(uint64_t key) {
  const size_t mask = lines_.size() - 1;
  size_t at = key & mask;
  while (lines_[at].key != 0 && lines_[at].key != key) at = (at + 1) & mask;
  return lines_[at];
}

void Models::grow() {
  std::vector<Line> old(std::max<size_t>(2 * lines_.size(), 64));
  std::swap(old, lines_);
  for (const Line& line : old)
    if (line.key != 0) line_of(line.key) = line;
}

void Models::add(uint64_t key, double ns) {
  base::Locked locked(lock_);
  if (2 * (used_ + 1) > lines_.size()) grow();
  Line& line = line_of(key);
  used_ += line.key == 0;
  line.key = key;
  line.history.add(ns);
}

double Models::expected(uint64_t key) {
  base::Locked locked(lock_);
  if (lines_.empty()) return 0;
  const Line& line = line_of(key);
  return line.key == key ? line.history.median() : 0;
}

}  // namespace xylem::hetero
