// Owns: fitting laws. See law.hpp.
//
// Logarithms and powers are computed here: the runtime does not link libm.
#include "hetero/model/law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace xylem::hetero {

namespace {

constexpr double ln_2 = 0.693147180559945309417;

// Of a number above 0. By the series of atanh, in which |s| < 0.172: ten terms are exact to 1e-16.
double logarithm(double x) {
  int exponent = 0;
  double part = std::frexp(x, &exponent);  // in [0.5, 1)
  if (part < 0.70710678118654752) {
    part *= 2;
    --exponent;
  }
  const double s = (part - 1) / (part + 1);
  double sum = 0;
  for (int term = 19; term > 0; term -= 2) sum = sum * s * s + 1.0 / term;
  return 2 * s * sum + exponent * ln_2;
}

// By Taylor's series, with |rest| < 0.35: thirteen terms are exact to 1e-16.
double exponential(double x) {
  const double turns = std::clamp(x / ln_2, -1000.0, 1000.0);
  const int whole = static_cast<int>(turns + (turns < 0 ? -0.5 : 0.5));
  const double rest = (turns - whole) * ln_2;
  double sum = 1;
  for (int term = 13; term > 0; --term) sum = 1 + sum * rest / term;
  return std::ldexp(sum, whole);
}

bool suffice(std::span<const Point> points) {
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(),
      [](const Point& one, const Point& other) { return one.size < other.size; });
  return points.size() >= least_sizes && most->size >= least_span * least->size;
}

// The line through the points' logarithms, once `fixed_ns` is taken off their times.
Law law_beside(std::span<const Point> points, double fixed_ns) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& point : points) {
    const double size = logarithm(point.size);
    const double ns = logarithm(point.ns - fixed_ns);
    x += size;
    y += ns;
    xx += size * size;
    xy += size * ns;
  }
  const auto count = static_cast<double>(points.size());
  Law law;
  law.exponent = (count * xy - x * y) / (count * xx - x * x);
  law.factor = exponential((y - law.exponent * x) / count);
  law.fixed_ns = fixed_ns;
  return law;
}

// By how much the law is off at the points, as logarithms.
struct Off {
  double squares = 0;
  double most = 0;
};

Off off_at(std::span<const Point> points, const Law& law) {
  Off off;
  for (const Point& point : points) {
    const double by = logarithm(law.extended_to(point.size) / point.ns);
    off.squares += by * by;
    off.most = std::max(off.most, std::abs(by));
  }
  return off;
}

// The best of a few dozen: the fixed part is between 0 and the least time.
Law law_with_fixed(std::span<const Point> points) {
  constexpr int steps = 64;
  const double least_ns =
      std::min_element(points.begin(), points.end(), [](auto& one, auto& other) {
        return one.ns < other.ns;
      })->ns;
  Law best;
  double best_squares = 0;
  for (int step = 1; step < steps; ++step) {
    const Law law = law_beside(points, least_ns * step / steps);
    const double squares = off_at(points, law).squares;
    if (best.factor > 0 && squares >= best_squares) continue;
    best = law;
    best_squares = squares;
  }
  return best;
}

}  // namespace

double Law::extended_to(double size) const {
  return factor * exponential(exponent * logarithm(size)) + fixed_ns;
}

double Law::ns_at(double size) const {
  return factor > 0 && size >= least && size <= most ? extended_to(size) : 0;
}

Law power_law(std::span<const Point> points) {
  if (!suffice(points)) return {};
  Law law = law_beside(points, 0);
  if (points.size() >= least_sizes_with_fixed) {
    const Law other = law_with_fixed(points);
    if (2 * off_at(points, other).squares < off_at(points, law).squares) law = other;
  }
  if (off_at(points, law).most > logarithm(most_off)) return {};
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(),
      [](const Point& one, const Point& other) { return one.size < other.size; });
  law.least = least->size / reach;
  law.most = most->size * reach;
  return law;
}

Law proportional_law(std::span<const Point> points) {
  if (points.empty()) return {};
  std::vector<double> factors;
  for (const Point& point : points) factors.push_back(point.ns / point.size);
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::nth_element(factors.begin(), middle, factors.end());
  return {.factor = *middle, .most = HUGE_VAL};
}

}  // namespace xylem::hetero
