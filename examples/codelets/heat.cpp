// heat COLUMNS ROWS BLOCKS STEPS [DEVICES]: heat spreads over a plate, with tasks on blocks of
// rows, and the same without tasks: each element must have the same bits. DEVICES: so many devices
// must be there.
#include "heat.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inputs.hpp"

namespace {

template <typename Run>
double seconds_of(Run run) {
  const auto began = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

std::size_t differing(const std::vector<double>& one, const std::vector<double>& other) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    count += std::memcmp(&one[i], &other[i], sizeof(double)) != 0;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const auto word = [&](int i) { return argc > i ? std::atol(argv[i]) : 0; };
  const long x = word(1), y = word(2), blocks = word(3), steps = word(4);
  if (x < 1 || blocks < 1 || y < 2 + 3 * blocks || steps < 0) {
    std::fprintf(stderr,
                 "usage: heat COLUMNS ROWS BLOCKS STEPS [DEVICES]; a block has 3 rows or more\n");
    return 2;
  }
  if (xylem_device_count() < word(5)) {
    std::printf("skipped: %d devices of %ld\n", xylem_device_count(), word(5));
    return 77;
  }
  constexpr double part = 0.2;
  const auto columns = static_cast<std::size_t>(x), rows = static_cast<std::size_t>(y);
  std::vector<double> plate = tiles::random_numbers<double>(columns * rows, 1);
  std::vector<double> serial = plate;
  const double with_tasks = seconds_of([&] {
    heat::spread(plate, columns, rows, static_cast<int>(blocks), static_cast<int>(steps), part);
  });
  const double alone = seconds_of(
      [&] { heat::spread_serially(serial, columns, rows, static_cast<int>(steps), part); });
  const std::size_t wrong = differing(plate, serial);
  std::printf(
      "heat on %ld x %ld in %ld, %ld steps: %.4f s, serially %.4f s, %d executors (%d "
      "devices), %zu elements differ\n",
      x, y, blocks, steps, with_tasks, alone, xylem_executor_count(), xylem_device_count(), wrong);
  return wrong == 0 ? 0 : 1;
}
