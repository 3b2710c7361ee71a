// cholesky_ranks SIDE COUNT: Cholesky's factorisation of a matrix of COUNT * COUNT tiles of SIDE
// rows over the ranks of an MPI launcher, beside LAPACK's on rank 0. Prints the time and how many
// messages were sent; exit code 1: the result is too far away, or there were more messages, or
// fewer, than the graph needs.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "inputs.hpp"
#include "ranks.hpp"

extern "C" void dpotrf_(const char*, const int*, double*, const int*, int*);

namespace {

using tiles::RankedTiles;

// What is done to each element (row, column) of a tile that this rank has.
template <typename Do>
void for_each_element(const RankedTiles& a, int row, int column, Do act) {
  const xylem::acquired mine(a(row, column).read_write());
  const std::size_t side = a.side();
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      act(static_cast<std::size_t>(row) * side + i, static_cast<std::size_t>(column) * side + j,
          mine.get()(i, j));
}

template <typename Do>
void for_each_tile(const RankedTiles& a, Do act) {
  for (int row = 0; row < a.count(); ++row)
    for (int column = 0; column <= row; ++column) act(row, column);
}

void fill(const RankedTiles& a, const std::vector<double>& from, std::size_t n) {
  for_each_tile(a, [&](int row, int column) {
    if (!a.is_mine(row, column)) return;
    for_each_element(a, row, column,
                     [&](std::size_t i, std::size_t j, double& x) { x = from[i * n + j]; });
  });
}

double factor(const RankedTiles& a) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto began = std::chrono::steady_clock::now();
  tiles::cholesky(a);
  xylem::mpi::wait_all();
  MPI_Barrier(MPI_COMM_WORLD);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// On rank 0: the largest distance of an element of the lower half.
double distance_to_lapack(const RankedTiles& a, std::vector<double> wanted, int n) {
  int info = 0;
  dpotrf_("U", &n, wanted.data(), &n, &info);  // of rows: the lower half
  double most = info == 0 ? 0 : HUGE_VAL;
  for_each_tile(a, [&](int row, int column) {
    for_each_element(a, row, column, [&](std::size_t i, std::size_t j, const double& x) {
      if (j <= i) most = std::max(most, std::fabs(x - wanted[i * static_cast<std::size_t>(n) + j]));
    });
  });
  return most;
}

bool run(std::size_t side, int count, int ranks, int rank) {
  const std::size_t n = side * static_cast<std::size_t>(count);
  const tiles::Grid grid = tiles::grid_of(ranks);
  const std::vector<double> matrix = tiles::dominant_matrix<double>(n, 4);
  const RankedTiles a(side, count, grid, rank);
  fill(a, matrix, n);
  const double seconds = factor(a);
  const unsigned long sent = xylem_mpi_sent().messages;
  unsigned long messages = 0;
  MPI_Reduce(&sent, &messages, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  for_each_tile(a, [&](int row, int column) { xylem::mpi::get(a(row, column), 0); });
  xylem::mpi::wait_all();
  if (rank != 0) return true;
  const unsigned long expected = tiles::expected_messages(count, grid);
  const double distance = distance_to_lapack(a, matrix, static_cast<int>(n));
  const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  std::printf(
      "%zu rows over %d x %d ranks: %.4f s, %.2f GFlop/s, %lu messages (%lu expected), "
      "distance to LAPACK %.2g\n",
      n, grid.rows, grid.columns, seconds, cube / 3 / seconds / 1e9, messages, expected, distance);
  const double allowed = 4 * static_cast<double>(n) * std::sqrt(static_cast<double>(n)) *
                         std::numeric_limits<double>::epsilon();
  return messages == expected && distance <= allowed;
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  int rank = 0;
  int ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long side = argc == 3 ? std::atol(argv[1]) : 0;
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (side < 1 || count < 1) {
    if (rank == 0) std::fprintf(stderr, "usage: cholesky_ranks SIDE COUNT\n");
    MPI_Finalize();
    return 2;
  }
  if (xylem_mpi_start(MPI_COMM_WORLD) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  const bool right = run(static_cast<std::size_t>(side), count, ranks, rank);
  const int error = xylem_mpi_stop();
  MPI_Finalize();
  return right && error == 0 ? 0 : 1;
}
