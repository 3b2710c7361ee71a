// Owns: the arithmetic of collapsed loop nests in which an inner loop's bounds may depend on one
// outer loop's variable: how many points a nest has, and which is the one with a given number.
//
// Points are numbered in the order in which the nest runs. Loops that depend on no other, and on
// none whose own count differs from value to value, are counted by one multiplication; of the
// others each value of the outer variable is looked at. So a triangle of n rows takes n steps.
#pragma once

#include <cstdint>
#include <span>

namespace xylem::omp {

// The integer type of a loop's bounds or variable. Values are kept in 64 bits, extended by their
// sign.
struct ValueType {
  uint8_t bits = 64;
  bool is_signed = false;

  // What a variable of the type holds after it was given the value.
  uint64_t fit(uint64_t value) const;
  bool less(uint64_t a, uint64_t b) const;
};

// for (i = first + first_slope * outer; i <= last + last_slope * outer; i += step), or >= when
// step < 0; without the equality when `strict`.
struct NestLevel {
  ValueType type;      // in which bounds are computed
  ValueType variable;  // of the loop
  bool strict = false;
  unsigned outer = 0;  // the level of the variable that bounds depend on, if a slope is not 0
  uint64_t first = 0;
  uint64_t first_slope = 0;
  uint64_t last = 0;
  uint64_t last_slope = 0;
  int64_t step = 1;  // not 0

  bool depends() const { return first_slope != 0 || last_slope != 0; }
  bool depends_on(unsigned level) const { return depends() && outer == level; }
  // The same number of iterations for each value of the outer variable.
  bool even() const { return first_slope == last_slope; }
  uint64_t first_value(uint64_t outer_value) const;
  uint64_t value(uint64_t outer_value, uint64_t iteration) const;
  uint64_t iterations(uint64_t outer_value) const;
};

class LoopNest {
 public:
  // Outermost first; they outlive the nest.
  explicit LoopNest(std::span<const NestLevel> levels) : levels_(levels) {}

  uint64_t points() const;
  // The variables' values at a point into values[0 .. levels-1]; number < points().
  void find(uint64_t number, uint64_t* values) const;

 private:
  bool varies_with(unsigned level) const;
  uint64_t points_under(unsigned level, uint64_t value) const;
  uint64_t points_from(unsigned level, uint64_t outer_value) const;
  uint64_t points_beside(unsigned level, const uint64_t* values) const;
  uint64_t find_iteration(unsigned level, uint64_t outer_value, uint64_t beside,
                          uint64_t& number) const;

  std::span<const NestLevel> levels_;
};

}  // namespace xylem::omp
