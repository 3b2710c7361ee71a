// Owns: what models say of sizes. See model.hpp.
#include "hetero/model/model.hpp"

#include "hetero/model/history.hpp"

namespace xylem::hetero {

Law law_of(Unit unit, std::span<const Point> points) {
  return unit == Unit::work ? proportional_law(points) : power_law(points);
}

Point point_of(const Model& model) {
  History history;
  for (const double ns : model.samples) history.recall(ns);
  return {static_cast<double>(model.about.size), history.median()};
}

}  // namespace xylem::hetero
