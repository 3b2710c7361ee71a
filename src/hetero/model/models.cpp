// Owns: finding and asking models. See models.hpp.
#include "hetero/model/models.hpp"

#include <algorithm>

namespace xylem::hetero {

Models::Line& Models::line_for(const About& about) {
  Line& line = lines_.find_or_make(about.key);
  if (line.about.key != 0) return line;
  line.about = about;
  families_.find_or_make(about.family).lines.push_back(&line);
  return line;
}

void Models::add(const Subject& subject, double ns) {
  base::Locked locked(lock_);
  line_for(subject.about).history.add(ns / subject.of_size);
  ++families_.find(subject.about.family)->samples;
}

void Models::recall(const Model& model) {
  base::Locked locked(lock_);
  History& history = line_for(model.about).history;
  history.recall_drifts(model.drifts);
  for (const double ns : model.samples) history.recall(ns);
}

double Models::expected(const Subject& subject) {
  double ns = 0;
  {
    base::Locked locked(lock_);
    if (const Line* line = lines_.find(subject.about.key)) ns = line->history.median();
  }
  return (ns > 0 ? ns : by_law(subject.about)) * subject.of_size;
}

std::vector<Point> Models::points_of(const Family& family) {
  std::vector<Point> points;
  for (const Line* line : family.lines) {
    const Point point{static_cast<double>(line->about.size), line->history.median()};
    if (point.size > 0 && point.ns > 0) points.push_back(point);
  }
  return points;
}

// With an eighth more samples, or eight more of each size: early laws get better soon, and what
// fitting costs is at most so much for each sample.
size_t Models::next_fit(size_t samples, size_t points) {
  return samples + 1 + std::min(samples / 8, 8 * points);
}

// The law is fitted without the lock: others would spin meanwhile.
double Models::by_law(const About& about) {
  const auto size = static_cast<double>(about.size);
  Family* family = nullptr;
  std::vector<Point> points;
  {
    base::Locked locked(lock_);
    family = families_.find(about.family);
    if (!family) return 0;
    if (family->samples < family->fit_at) return family->law.ns_at(size);
    points = points_of(*family);
    family->fit_at = next_fit(family->samples, points.size());
  }
  const Law law = law_of(about.unit, points);
  base::Locked locked(lock_);
  family->law = law;
  return law.ns_at(size);
}

std::vector<Model> Models::changed() {
  base::Locked locked(lock_);
  std::vector<Model> found;
  lines_.for_each([&](const Line& line) {
    if (line.about.codelet.empty() || !line.history.has_new()) return;
    found.push_back({line.about, line.history.drifts(), line.history.samples()});
  });
  return found;
}

}  // namespace xylem::hetero
