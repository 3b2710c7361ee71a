// Owns: families of kept models as text. See families.hpp.
#include "tool/models/families.hpp"

#include <fmt/core.h>

#include "tool/command/common.hpp"

namespace xylem::tool {

namespace {

hetero::Law law_of(const Family& family) {
  std::vector<hetero::Point> points;
  for (const hetero::Model& model : family.models) {
    const hetero::Point point = hetero::point_of(model);
    if (point.size > 0 && point.ns > 0) points.push_back(point);
  }
  return hetero::law_of(family.about.unit, points);
}

}  // namespace

std::vector<Family> families_of(const std::vector<hetero::Model>& models) {
  std::vector<Family> families;
  for (const hetero::Model& model : models) {
    if (families.empty() || families.back().about.family != model.about.family)
      families.push_back({model.about, {}, {}});
    families.back().models.push_back(model);
  }
  for (Family& family : families) family.law = law_of(family);
  return families;
}

std::string executor_text(int kind) {
  return kind == 0 ? "processor" : fmt::format("device {}", kind);
}

std::string law_text(const Family& family) {
  const hetero::Law& law = family.law;
  const std::string sizes = counted(static_cast<long long>(family.models.size()), "size");
  if (family.about.unit == hetero::Unit::work)
    return fmt::format("{:.3g} ns * work, by {}", law.factor, sizes);
  const std::string fixed =
      law.fixed_ns > 0 ? fmt::format(" + {:.3g} us", law.fixed_ns / 1000) : "";
  return fmt::format("{:.3g} ns * bytes^{:.2f}{}, by {}", law.factor, law.exponent, fixed, sizes);
}

}  // namespace xylem::tool
