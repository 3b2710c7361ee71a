// codelets WHAT SIZE TILES [float]: a vector scaled, a matrix product, or a matrix factored, with
// tasks on tiles; and how far the result is from what it should be.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "inputs.hpp"
#include "tiled.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Outcome {
  double seconds;
  double operations;
  double error;  // of one element of the result, beside what went into it
};

double seconds_of(const std::function<void()>& run) {
  const auto began = Clock::now();
  run();
  xylem::wait_all();
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// Of rows spread over the matrix: |left right - wanted|, where an element of left and right is
// given by functions of row and column.
template <typename Left, typename Right, typename Wanted>
double distance(std::size_t n, Left left, Right right, Wanted wanted) {
  double most = 0;
  for (std::size_t i = 0; i < n; i += n / 7 + 1)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += left(i, k) * right(k, j);
      most = std::max(most, std::fabs(sum - wanted(i, j)));
    }
  return most / static_cast<double>(n);
}

template <typename T>
Outcome run_scale(std::size_t n, int count) {
  std::vector<T> x = tiles::random_numbers<T>(n, 1);
  const std::vector<T> before = x;
  xylem::data<T> data = xylem::vector_data<T>(x);
  const double seconds = seconds_of([&] { tiles::scale<T>(data, count, 3); });
  data.unregister();
  double error = 0;
  for (std::size_t i = 0; i < n; ++i)
    error = std::max(error, std::fabs(static_cast<double>(x[i] - 3 * before[i])));
  return {seconds, static_cast<double>(n), error};
}

template <typename T>
Outcome run_multiply(std::size_t n, int count) {
  std::vector<T> a = tiles::random_numbers<T>(n * n, 1);
  std::vector<T> b = tiles::random_numbers<T>(n * n, 2);
  std::vector<T> c(n * n);
  double seconds = 0;
  {
    const tiles::Tiled<T> ta(a, n, count);
    const tiles::Tiled<T> tb(b, n, count);
    const tiles::Tiled<T> tc(c, n, count);
    seconds = seconds_of([&] { tiles::multiply(ta, tb, tc); });
  }
  const auto element = [n](const std::vector<T>& m) {
    return [&m, n](std::size_t i, std::size_t j) { return static_cast<double>(m[i * n + j]); };
  };
  const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  return {seconds, 2 * cube, distance(n, element(a), element(b), element(c))};
}

template <typename T>
Outcome run_factor(std::size_t n, int count, bool symmetric) {
  const std::vector<T> before = tiles::dominant_matrix<T>(n, 3);
  std::vector<T> a = before;
  double seconds = 0;
  {
    const tiles::Tiled<T> tiled(a, n, count);
    seconds = seconds_of([&] { symmetric ? tiles::cholesky(tiled) : tiles::lu(tiled); });
  }
  const auto at = [&](std::size_t i, std::size_t j) { return static_cast<double>(a[i * n + j]); };
  const auto lower = [&](std::size_t i, std::size_t k) {
    return k > i ? 0 : k == i && !symmetric ? 1 : at(i, k);
  };
  const auto upper = [&](std::size_t k, std::size_t j) {
    return k > j ? 0 : symmetric ? at(j, k) : at(k, j);
  };
  const double error = distance(n, lower, upper, [&](std::size_t i, std::size_t j) {
    return static_cast<double>(before[i * n + j]);
  });
  const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  return {seconds, (symmetric ? 1 : 2) * cube / 3, error};
}

template <typename T>
Outcome run(std::string_view what, std::size_t n, int count) {
  if (what == "scale") return run_scale<T>(n, count);
  if (what == "multiply") return run_multiply<T>(n, count);
  if (what == "cholesky") return run_factor<T>(n, count, true);
  if (what == "lu") return run_factor<T>(n, count, false);
  std::fprintf(stderr, "codelets: not scale, multiply, cholesky or lu: %s\n", what.data());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  const long n = argc > 3 ? std::atol(argv[2]) : 0;
  const int count = argc > 3 ? std::atoi(argv[3]) : 0;
  if (n < 1 || count < 1 || count > n) {
    std::fprintf(stderr, "usage: codelets scale|multiply|cholesky|lu SIZE TILES [float]\n");
    return 2;
  }
  const bool is_float = argc > 4 && std::strcmp(argv[4], "float") == 0;
  const auto size = static_cast<std::size_t>(n);
  const Outcome outcome =
      is_float ? run<float>(argv[1], size, count) : run<double>(argv[1], size, count);
  std::printf("%s of %s: %ld in %d: %.4f s, %.3f GFlop/s, %d executors (%d devices), error %.2g\n",
              argv[1], is_float ? "float" : "double", n, count, outcome.seconds,
              outcome.operations / outcome.seconds / 1e9, xylem_executor_count(),
              xylem_device_count(), outcome.error);
  return outcome.error < (is_float ? 1e-5 : 1e-13) ? 0 : 1;
}
