// Owns: how LLVM's entry points describe collapsed loop nests, and the nest that omp/ is asked for.
#pragma once

#include <cstdint>
#include <span>

#include "omp/loops/loop_nest.hpp"

namespace xylem::abi::kmp {

// One loop. Numbers of 32 bits stand in the lower halves of their words.
struct NestBounds {
  int32_t type;           // of the bounds: value_type()
  int32_t variable_type;  // of the loop's variable
  int32_t comparison;     // comparisons
  int32_t outer;          // the loop whose variable the bounds depend on, if a slope is not 0
  uint64_t lower;
  uint64_t lower_slope;
  uint64_t upper;
  uint64_t upper_slope;
  int64_t step;
  uint64_t iterations;  // written here
};
static_assert(sizeof(NestBounds) == 64);

namespace comparisons {
inline constexpr int32_t less_or_equal = 0;
inline constexpr int32_t greater_or_equal = 1;
inline constexpr int32_t not_equal = 2;
inline constexpr int32_t less = 3;
inline constexpr int32_t greater = 4;
}  // namespace comparisons

// Of 8, 16, 32 and 64 bits, unsigned and signed in turn.
inline omp::ValueType value_type(int32_t number) {
  return {static_cast<uint8_t>(8 << (number / 2 & 3)), number % 2 != 0};
}

inline omp::NestLevel decode_level(const NestBounds& bounds) {
  const omp::ValueType type = value_type(bounds.type);
  const omp::ValueType step_type{type.bits, true};
  omp::NestLevel level;
  level.type = type;
  level.variable = value_type(bounds.variable_type);
  level.strict = bounds.comparison >= comparisons::not_equal;
  level.outer = static_cast<unsigned>(bounds.outer);
  level.first = type.fit(bounds.lower);
  level.first_slope = type.fit(bounds.lower_slope);
  level.last = type.fit(bounds.upper);
  level.last_slope = type.fit(bounds.upper_slope);
  level.step = static_cast<int64_t>(step_type.fit(static_cast<uint64_t>(bounds.step)));
  return level;
}

// Compiled code may count on the bounds as part of the loop from now on.
inline void include_bound(NestBounds& bounds) {
  if (bounds.comparison < comparisons::not_equal) return;
  const bool up = decode_level(bounds).step > 0;
  bounds.upper = value_type(bounds.type).fit(up ? bounds.upper - 1 : bounds.upper + 1);
  bounds.comparison = up ? comparisons::less_or_equal : comparisons::greater_or_equal;
}

// The points from `first` to `last`, as the loops' bounds.
inline void put_range(std::span<const NestBounds> nest, const uint64_t* first, const uint64_t* last,
                      NestBounds* range) {
  for (size_t i = 0; i < nest.size(); ++i) {
    range[i] = nest[i];
    range[i].lower = first[i];
    range[i].upper = last[i];
    range[i].lower_slope = range[i].upper_slope = 0;
  }
}

}  // namespace xylem::abi::kmp
