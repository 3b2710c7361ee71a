#include "job.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>
#include <span>

#include "tile.hpp"

#define XYLEM_WEAK
#include <xylem/bubble.h>

namespace jobs {
namespace {

constexpr double good_residual = 1e-14;
constexpr int most_refinements = 5;

// Processor time of the calling kernel thread. An OpenMP thread stays on its kernel thread between
// two points only if no scheduling point of OpenMP is between them.
double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The larger one; once there is a NaN it stays.
double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = larger(most, std::abs(value));
  return most;
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Job::Job(const Analysis& analysis, std::uint64_t seed)
    : analysis_(analysis),
      seed_(seed),
      memory_(new double[analysis.memory]),
      matrix_(new double[analysis.matrix.value.size()]),
      right_(analysis.matrix.size),
      solution_(analysis.matrix.size),
      work_(analysis.matrix.size),
      block_norm_(analysis.blocks()) {
  result_.history.reserve(analysis.levels.size() + 2);
}

JobResult Job::run(int team) {
  result_.start = now();
  result_.history.push_back({result_.start, 0});
#pragma omp parallel num_threads(team)
  assemble(team);
  const double most = largest({matrix_.get(), analysis_.matrix.value.size()});
  smallest_pivot_ = std::max(1e-10 * most, 1e-300);
  scale_ = most + largest(right_);  // the solution is between 0.5 and 1.5
#pragma omp parallel num_threads(team)
  {
    factorise();
    solve_and_refine();
  }
  result_.end = now();
  result_.history.push_back({result_.end, 1});
  result_.cpu_seconds = cpu_seconds_.load();
  result_.replaced_pivots = replaced_pivots_.load();
  result_.checksum = checksum();
  return std::move(result_);
}

template <class Body>
void Job::step(long count, Body body) {
  double seconds = 0;
#pragma omp for schedule(dynamic) nowait
  for (long i = 0; i < count; ++i) {
    // Part by part: between parts the thread may have to give way to those of other jobs.
    const double start = thread_cpu_seconds();
    body(i);
    seconds += thread_cpu_seconds() - start;
  }
  cpu_seconds_.fetch_add(seconds, std::memory_order_relaxed);  // a sum, read after the end
#pragma omp barrier
}

void Job::assemble(int team) {
  if (omp_get_thread_num() == 0) result_.team_made = omp_get_num_threads();
  // The work of a thread of this job; told only where the job's teams are the outermost.
  if (xylem_set_load && omp_get_level() == 1)
    xylem_set_load(static_cast<long>(analysis_.operations / team));
  step(analysis_.blocks(), [this](long block) { zero_block(static_cast<int>(block)); });
  step(analysis_.blocks(), [this](long block) {
    const auto b = static_cast<int>(block);
    for (int row = analysis_.block_begin[b]; row < analysis_.block_begin[b + 1]; ++row)
      assemble_row(row);
  });
}

void Job::zero_block(int block) {
  const int next = block + 1;
  const long begin = analysis_.tiles[analysis_.pivot_tile[block]].place;
  const long end = next < analysis_.blocks() ? analysis_.tiles[analysis_.pivot_tile[next]].place
                                             : analysis_.memory;
  std::fill(memory_.get() + begin, memory_.get() + end, 0.0);
}

void Job::assemble_row(int row) {
  const Matrix& m = analysis_.matrix;
  const double factor = 0.5 + random_number(seed_, 1, row);
  double right = 0;
  for (long p = m.row_begin[row]; p < m.row_begin[row + 1]; ++p) {
    matrix_[p] = factor * m.value[p];
    memory_[analysis_.slot[p]] = matrix_[p];
    right += matrix_[p] * (0.5 + random_number(seed_, 2, m.column[p]));
  }
  right_[row] = work_[row] = right;
}

void Job::factorise() {
  for (const Level& level : analysis_.levels) {
    step(static_cast<long>(level.pivots.size()), [&](long i) { factor_pivot(level.pivots[i]); });
    step(static_cast<long>(level.panels.size()), [&](long i) { solve_panel(level.panels[i]); });
    step(static_cast<long>(level.update_begin.size()) - 1, [&](long i) { update(level, i); });
    if (omp_get_thread_num() == 0) note_progress(level.operations);
  }
}

void Job::note_progress(double operations) {
  operations_done_ += operations;
  result_.history.push_back({now(), operations_done_ / analysis_.operations});
}

void Job::factor_pivot(int block) {
  const int replaced =
      tile_factor(values(analysis_.pivot_tile[block]), analysis_.width(block), smallest_pivot_);
  if (replaced > 0) replaced_pivots_.fetch_add(replaced, std::memory_order_relaxed);  // a sum
}

void Job::solve_panel(int tile) {
  const auto [place, row, column] = analysis_.tiles[tile];
  const int block = std::min(row, column);
  const double* const pivot = values(analysis_.pivot_tile[block]);
  if (column == block)
    tile_solve_right(pivot, analysis_.width(block), values(tile), analysis_.width(row));
  else
    tile_solve_lower(pivot, analysis_.width(block), values(tile), analysis_.width(column));
}

void Job::update(const Level& level, long number) {
  for (long p = level.update_begin[number]; p < level.update_begin[number + 1]; ++p) {
    const auto [target, left, right] = level.products[p];
    const Tile& tile = analysis_.tiles[target];
    tile_subtract_product(values(target), values(left), values(right), analysis_.width(tile.row),
                          analysis_.width(tile.column),
                          analysis_.width(analysis_.tiles[left].column));
  }
}

// x := A^-1 b, then x += A^-1 (b - A x) until that changes nothing. All threads of the team see the
// same norms, so they agree on when to end.
void Job::solve_and_refine() {
  const auto levels = static_cast<int>(analysis_.levels.size());
  for (int round = 0;; ++round) {
    for (int l = 0; l < levels; ++l) {
      const std::vector<int>& pivots = analysis_.levels[l].pivots;
      step(static_cast<long>(pivots.size()), [&](long i) { forward(pivots[i]); });
    }
    for (int l = levels - 1; l >= 0; --l) {
      const std::vector<int>& pivots = analysis_.levels[l].pivots;
      step(static_cast<long>(pivots.size()), [&](long i) { backward(pivots[i]); });
    }
    step(analysis_.blocks(), [this](long block) { add_correction(static_cast<int>(block)); });
    step(analysis_.blocks(), [this](long block) { set_residual(static_cast<int>(block)); });
    const double residual = largest(block_norm_) / scale_;
    if (omp_get_thread_num() == 0) {
      result_.residual = residual;
      result_.refinements = round;
    }
    if (!(residual > good_residual) || round == most_refinements) return;
  }
}

void Job::forward(int block) {
  double* const mine = &work_[analysis_.block_begin[block]];
  const int width = analysis_.width(block);
  for (const int tile : analysis_.left_tiles[block]) {
    const int other = analysis_.tiles[tile].column;
    tile_subtract_product(mine, values(tile), &work_[analysis_.block_begin[other]], width, 1,
                          analysis_.width(other));
  }
  tile_solve_lower(values(analysis_.pivot_tile[block]), width, mine, 1);
}

void Job::backward(int block) {
  double* const mine = &work_[analysis_.block_begin[block]];
  const int width = analysis_.width(block);
  const std::vector<int>& others = analysis_.below[block];
  for (int i = 0; i < static_cast<int>(others.size()); ++i)
    tile_subtract_product(mine, values(analysis_.right_tile(block, i)),
                          &work_[analysis_.block_begin[others[i]]], width, 1,
                          analysis_.width(others[i]));
  tile_solve_upper(values(analysis_.pivot_tile[block]), width, mine);
}

void Job::add_correction(int block) {
  for (int row = analysis_.block_begin[block]; row < analysis_.block_begin[block + 1]; ++row)
    solution_[row] += work_[row];
}

// The residual becomes what is solved for next.
void Job::set_residual(int block) {
  const Matrix& m = analysis_.matrix;
  double most = 0;
  for (int row = analysis_.block_begin[block]; row < analysis_.block_begin[block + 1]; ++row) {
    double sum = right_[row];
    for (long p = m.row_begin[row]; p < m.row_begin[row + 1]; ++p)
      sum -= matrix_[p] * solution_[m.column[p]];
    work_[row] = sum;
    most = larger(most, std::abs(sum));
  }
  block_norm_[block] = most;
}

// FNV-1a over the words of the solution.
std::uint64_t Job::checksum() const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double value : solution_)
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3U;
  return hash;
}

}  // namespace jobs
