// Owns: the generator of pseudorandom numbers that all the benchmarks share: x'
// = 5^13 x mod 2^46.
#pragma once

#include <cstdint>

namespace nas {

class Random {
 public:
  static constexpr uint64_t first_seed = 314159265;

  explicit Random(uint64_t seed = first_seed) : seed_(seed) {}
  // Between 0 and 1.
  double next() {
    constexpr uint64_t multiplier = 1220703125;  // 5^13
    seed_ = seed_ * multiplier & ((uint64_t{1} << 46) - 1);
    return static_cast<double>(seed_) * 0x1p-46;
  }

 private:
  uint64_t seed_;
};

}  // namespace nas
