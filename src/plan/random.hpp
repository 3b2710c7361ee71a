// The random numbers that policies get: a small generator, seeded by the caller, equal everywhere.
#pragma once

#include <cstdint>

namespace xylem::plan {

// splitmix64. The same seed gives the same numbers on every machine and with every compiler.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  // A number in 0 .. bound-1; bound > 0. The bias is below bound / 2^32.
  constexpr int below(int bound) {
    return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace xylem::plan
