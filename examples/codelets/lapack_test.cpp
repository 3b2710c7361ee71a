// The algorithms beside LAPACK and BLAS, on what executors there are, with sizes that do not
// divide. lapack_test [POLICY [DEVICES]]: skipped where there are fewer devices.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "inputs.hpp"
#include "tiled.hpp"

extern "C" {
void spotrf_(const char*, const int*, float*, const int*, int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void sgetrf_(const int*, const int*, float*, const int*, int*, int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}

namespace {

constexpr auto potrf(float*) { return spotrf_; }
constexpr auto potrf(double*) { return dpotrf_; }
constexpr auto getrf(float*) { return sgetrf_; }
constexpr auto getrf(double*) { return dgetrf_; }
constexpr auto gemm(float*) { return sgemm_; }
constexpr auto gemm(double*) { return dgemm_; }

// Both sum n products in their own order; the values are of the size of `scale`.
template <typename T>
void compare(const char* what, const std::vector<T>& ours, const std::vector<T>& theirs, int n,
             double scale) {
  const double allowed = 4 * n * scale * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double distance =
        std::fabs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i]));
    if (distance <= allowed) continue;
    std::fprintf(stderr, "%s of %d: element %zu is %.17g, not %.17g\n", what, n, i,
                 static_cast<double>(ours[i]), static_cast<double>(theirs[i]));
    std::exit(1);
  }
}

// LAPACK's matrices are by columns: the transposed one.
template <typename T>
std::vector<T> transposed(const std::vector<T>& a, std::size_t n) {
  std::vector<T> b(a.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[j * n + i] = a[i * n + j];
  return b;
}

template <typename T>
void test_cholesky(int n, int count) {
  std::vector<T> ours = tiles::dominant_matrix<T>(static_cast<std::size_t>(n), 4);
  std::vector<T> theirs = ours;
  tiles::cholesky(tiles::Tiled<T>(ours, static_cast<std::size_t>(n), count));
  int info = 0;
  potrf(theirs.data())("U", &n, theirs.data(), &n, &info);  // of rows: the lower half
  if (info != 0) std::exit(2);
  compare("cholesky", ours, theirs, n, std::sqrt(n));
}

template <typename T>
void test_lu(int n, int count) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> ours = tiles::dominant_matrix<T>(size, 5);
  std::vector<T> theirs = transposed(ours, size);
  tiles::lu(tiles::Tiled<T>(ours, size, count));
  std::vector<int> pivots(size);
  int info = 0;
  getrf(theirs.data())(&n, &n, theirs.data(), &n, pivots.data(), &info);
  for (int i = 0; i < n; ++i)
    if (info != 0 || pivots[static_cast<std::size_t>(i)] != i + 1) std::exit(2);
  compare("lu", ours, transposed(theirs, size), n, n);
}

template <typename T>
void test_multiply(int n, int count) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> a = tiles::random_numbers<T>(size * size, 6);
  std::vector<T> b = tiles::random_numbers<T>(size * size, 7);
  std::vector<T> ours = tiles::random_numbers<T>(size * size, 8);
  std::vector<T> theirs = ours;
  {
    const tiles::Tiled<T> ta(a, size, count);
    const tiles::Tiled<T> tb(b, size, count);
    tiles::multiply(ta, tb, tiles::Tiled<T>(ours, size, count));
  }
  const T one = 1;
  gemm(a.data())("N", "N", &n, &n, &n, &one, b.data(), &n, a.data(), &n, &one, theirs.data(), &n);
  compare("multiply", ours, theirs, n, 1);
}

template <typename T>
void test_all(int n, int count) {
  test_multiply<T>(n, count);
  test_cholesky<T>(n, count);
  test_lu<T>(n, count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && xylem_codelet_policy(argv[1]) != 0) return 2;
  if (argc > 2 && xylem_device_count() < std::atoi(argv[2])) {
    if (std::getenv("DEVICES_MUST_BE_THERE")) return 1;
    std::printf("skipped: %d devices of %s\n", xylem_device_count(), argv[2]);
    return 77;
  }
  test_all<double>(101, 5);
  test_all<float>(101, 5);
  test_all<double>(64, 4);
  test_all<float>(97, 1);
  xylem::wait_all();
  return 0;
}
