// Owns: medians of what was measured. See history.hpp.
#include "hetero/model/history.hpp"

#include <algorithm>
#include <utility>

namespace xylem::hetero {

void History::recall(double ns) { samples_[seen_++ % kept] = ns; }

void History::add(double ns) {
  if (++added_ > 1) recall(ns);
}

size_t History::count() const { return std::min(seen_, kept); }

std::vector<double> History::samples() const {
  return {samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count())};
}

double History::median() const {
  if (seen_ == 0) return 0;
  std::array<double, kept> sorted = samples_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count() / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count()));
  return *middle;
}

Models::Line& Models::line_of(uint64_t key) {
  const size_t mask = lines_.size() - 1;
  size_t at = key & mask;
  while (lines_[at].about.key != 0 && lines_[at].about.key != key) at = (at + 1) & mask;
  return lines_[at];
}

void Models::grow() {
  std::vector<Line> old(std::max<size_t>(2 * lines_.size(), 64));
  std::swap(old, lines_);
  for (Line& line : old)
    if (line.about.key != 0) line_of(line.about.key) = std::move(line);
}

Models::Line& Models::line_for(const Subject& subject) {
  if (2 * (used_ + 1) > lines_.size()) grow();
  Line& line = line_of(subject.key);
  if (line.about.key != 0) return line;
  ++used_;
  line.about = {subject.key, subject.kind, subject.bytes, subject.codelet, {}};
  return line;
}

void Models::add(const Subject& subject, double ns) {
  base::Locked locked(lock_);
  line_for(subject).history.add(ns);
}

void Models::recall(const Model& model) {
  base::Locked locked(lock_);
  Line& line = line_for({model.key, model.kind, model.bytes, model.codelet});
  for (const double ns : model.samples) line.history.recall(ns);
}

double Models::expected(uint64_t key) {
  base::Locked locked(lock_);
  if (lines_.empty()) return 0;
  const Line& line = line_of(key);
  return line.about.key == key ? line.history.median() : 0;
}

std::vector<Model> Models::changed() {
  base::Locked locked(lock_);
  std::vector<Model> found;
  for (const Line& line : lines_) {
    if (line.about.codelet.empty() || !line.history.has_new()) continue;
    found.push_back(line.about);
    found.back().samples = line.history.samples();
  }
  return found;
}

}  // namespace xylem::hetero
