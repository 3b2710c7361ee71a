// Owns: the matrices that the program and the test begin with. The same numbers everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tiles {

// Numbers in [-0.5, 0.5).
template <typename T>
std::vector<T> random_numbers(std::size_t count, std::uint32_t seed) {
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = static_cast<T>(seed >> 8) / static_cast<T>(1 << 24) - static_cast<T>(0.5);
  }
  return numbers;
}

// Symmetric, with a diagonal that outweighs each row and column: positive definite, and no pivoting
// is needed.
template <typename T>
std::vector<T> dominant_matrix(std::size_t n, std::uint32_t seed) {
  std::vector<T> a = random_numbers<T>(n * n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
    a[i * n + i] = static_cast<T>(n);
  }
  return a;
}

}  // namespace tiles
