// Owns: laws, by which the time of a codelet's tasks follows from their size, so that sizes that
// were never measured have an expected time (paper 002, section 3.3.2: regression). Pure.
#pragma once

#include <cstddef>
#include <span>

namespace xylem::hetero {

// What was measured of one size: the median of its runs.
struct Point {
  double size = 0;  // more than 0, as is `ns`
  double ns = 0;
};

// ns = factor * size^exponent + fixed_ns
struct Law {
  double factor = 0;  // 0: there is no law
  double exponent = 1;
  double fixed_ns = 0;
  // The sizes for which it holds.
  double least = 0;
  double most = 0;

  // 0: the law does not hold for the size.
  double ns_at(double size) const;
  // The same, whatever the size is.
  double extended_to(double size) const;
};

// A power law is fitted on so many sizes at least, of which the largest is so many times the
// smallest; it must be off by at most this factor at each of them, and holds for sizes that are
// beyond them by at most that factor.
constexpr size_t least_sizes = 3;
constexpr double least_span = 4;
constexpr double most_off = 1.5;
constexpr double reach = 4;
// With so many sizes it has a fixed part, if that halves what it is off by: the sum of squares.
constexpr size_t least_sizes_with_fixed = 5;

// By least squares on logarithms. Without a factor where the points do not suffice.
Law power_law(std::span<const Point> points);

// The common factor: time is proportional to a size that the program tells (xylem_codelet::work).
// The median of the points' factors; holds for every size, from one point on.
Law proportional_law(std::span<const Point> points);

}  // namespace xylem::hetero
