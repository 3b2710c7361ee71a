// Owns: what plug-ins measure of a link: copies of two sizes, of which a fixed time and a time for
// each byte follow.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "hetero/data/coherence.hpp"

namespace xylem::hetero {

constexpr size_t few_bytes = 64;
constexpr size_t many_bytes = size_t{1} << 20;
// What is taken where nothing can be measured.
constexpr Links::Link estimated_link{true, 10'000, 0.1};

// The least of a few: the first one pays for what is set up. Below 0: a copy failed.
template <typename Copy>
double copy_ns(Copy copy, size_t bytes) {
  using Clock = std::chrono::steady_clock;
  double least = -1;
  for (int turn = 0; turn < 4; ++turn) {
    const auto began = Clock::now();
    if (!copy(bytes)) return -1;
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - began).count();
    least = least < 0 ? ns : std::min(least, ns);
  }
  return least;
}

// `copy(bytes)` copies so many, up to many_bytes, and waits for that; false: it cannot.
template <typename Copy>
Links::Link measure_link(Copy copy) {
  const double fixed = copy_ns(copy, few_bytes);
  const double whole = copy_ns(copy, many_bytes);
  if (fixed < 0 || whole < 0) return estimated_link;
  return {true, fixed, std::max(whole - fixed, 0.0) / (many_bytes - few_bytes)};
}

}  // namespace xylem::hetero
