// SSOR, the LU of the NAS benchmarks: a step solves a lower and then an upper
// triangular system of the whole grid, of blocks of 5 by 5, by symmetric
// successive over-relaxation. lu.cpp is another LU: a dense factorisation.
//
// A point needs its neighbours along x, y and z before it. Each thread has a
// block of rows, the same in both sweeps. It goes through the planes along z,
// and in each it waits until its neighbour has done the rows beside its own.
//
// Written from the benchmark's published description.
#include <omp.h>

#include <algorithm>
#include <cstddef>

#include "nas/adi.hpp"
#include "nas/blocks.hpp"

namespace nas {

namespace {

using adi::Block;
using adi::equations;
using adi::Factors;
using adi::Grid;
using adi::Point;

constexpr adi::Class classes[] = {
    {"S",
     12,
     50,
     0.5,
     {1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
      1.5029584435994323e-03, 3.4264073155896461e-02},
     {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
      5.8474222595157350e-05, 1.3103347914111294e-03},
     7.8418928865937083},
    {"W",
     33,
     300,
     0.0015,
     {0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01,
      0.2826799444189e+02},
     {0.4867877144216, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01,
      0.1084277417792e+01},
     0.1161399311023e+02},
    {"A",
     64,
     250,
     2.0,
     {7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
      1.7845301160418537e+02, 1.8384760349464247e+03},
     {2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00,
      6.7139225687777051e+00, 7.0715315688392578e+01},
     2.6030925604886277e+01}};

constexpr double relaxation = 1.2;

// Lower: from the first point to the last one, with the neighbours before each.
enum class Sweep { lower = -1, upper = 1 };

// The grid, and the factors of its three directions.
struct System {
  explicit System(const Grid& grid)
      : g(grid), by{adi::factors_of(grid, 0), adi::factors_of(grid, 1), adi::factors_of(grid, 2)} {}

  const Grid& g;
  const Factors by[3];
};

// sum += the block beside the diagonal that the neighbour `point` along
// `direction` makes, times `vector`.
__attribute__((no_sanitize("thread"))) void add_product(const Point& point, int direction,
                                                        Factors by, Sweep sweep,
                                                        const double* vector, double* sum) {
  Block flux, friction;
  derive_flux(point, 1 + direction, flux);
  derive_friction(point, 1 + direction, friction);
  const double flux_by = static_cast<int>(sweep) * by.flux;
  for (int m = 0; m < equations; ++m) {
    for (int n = 0; n < equations; ++n)
      sum[m] += (flux_by * flux.at[m][n] - by.friction * friction.at[m][n]) * vector[n];
    sum[m] -= by.diffusion * vector[m];
  }
}

// The same of all three neighbours of `p`.
void add_neighbours(const System& s, Sweep sweep, std::ptrdiff_t p, double* sum) {
  for (int direction = 0; direction < 3; ++direction) {
    const std::ptrdiff_t neighbour = p + static_cast<int>(sweep) * s.g.stride(direction);
    double vector[equations];
    copy(s.g.rhs[neighbour], equations, vector);
    add_product(point_of(s.g, neighbour), direction, s.by[direction], sweep, vector, sum);
  }
}

__attribute__((no_sanitize("thread"))) void make_diagonal(const System& s, const Point& point,
                                                          Block& diagonal) {
  diagonal = {};
  for (int m = 0; m < equations; ++m) diagonal.at[m][m] = 1;
  for (int direction = 0; direction < 3; ++direction) {
    const Factors by = s.by[direction];
    Block friction;
    derive_friction(point, 1 + direction, friction);
    for (int m = 0; m < equations; ++m) {
      for (int n = 0; n < equations; ++n) diagonal.at[m][n] += 2 * by.friction * friction.at[m][n];
      diagonal.at[m][m] += 2 * by.diffusion;
    }
  }
}

// right becomes x of a x = right: by elimination, without pivots.
__attribute__((no_sanitize("thread"))) void solve(Block& a, double* right) {
  for (int p = 0; p < equations; ++p)
    for (int m = p + 1; m < equations; ++m) {
      const double factor = a.at[m][p] / a.at[p][p];
      for (int n = p + 1; n < equations; ++n) a.at[m][n] -= factor * a.at[p][n];
      right[m] -= factor * right[p];
    }
  for (int m = equations - 1; m >= 0; --m) {
    for (int n = m + 1; n < equations; ++n) right[m] -= a.at[m][n] * right[n];
    right[m] /= a.at[m][m];
  }
}

// rhs at `p` becomes the system's solution there.
void relax(const System& s, Sweep sweep, std::ptrdiff_t p) {
  double sum[equations] = {}, right[equations], own[equations];
  Block diagonal;
  add_neighbours(s, sweep, p, sum);
  make_diagonal(s, point_of(s.g, p), diagonal);
  copy(s.g.rhs[p], equations, own);
  const bool is_lower = sweep == Sweep::lower;
  for (int m = 0; m < equations; ++m) right[m] = (is_lower ? own[m] : 0) - relaxation * sum[m];
  solve(diagonal, right);
  for (int m = 0; m < equations; ++m) s.g.rhs[p][m] = is_lower ? right[m] : own[m] + right[m];
}

// The place after `done` others of [begin, end), in the sweep's order.
int place(Sweep sweep, int done, int begin, int end) {
  return sweep == Sweep::lower ? begin + done : end - 1 - done;
}

// Rows [begin, end) of plane `k`.
void relax_rows(const System& s, Sweep sweep, int k, int begin, int end) {
  const int last = s.g.size - 1;
  for (int row = 0; row < end - begin; ++row)
    for (int point = 0; point < last - 1; ++point)
      relax(s, sweep, s.g.at(place(sweep, point, 1, last), place(sweep, row, begin, end), k));
}

// What a block does in a front: a plane of its rows, one behind the block before it.
// By fronts both sweeps give a thread the same rows, though who waits in a doacross
// loop waits for earlier iterations alone.
struct Fronts {
  explicit Fronts(const System& system)
      : s(system),
        planes(s.g.size - 2),
        blocks(std::min(omp_get_max_threads(), planes)),
        count(planes + blocks - 1) {}

  void run(Sweep sweep, int front, int block) const {
    const int done = front - place(sweep, block, 0, blocks);
    if (done < 0 || done >= planes) return;
    relax_rows(s, sweep, place(sweep, done, 1, 1 + planes), 1 + planes * block / blocks,
               1 + planes * (block + 1) / blocks);
  }

  const System& s;
  const int planes;  // as many as rows
  const int blocks;
  const int count;
};

void relax_lower(const Fronts& fronts) {
#pragma omp parallel for num_threads(fronts.blocks) schedule(static, 1) collapse(2) ordered(2)
  for (int front = 0; front < fronts.count; ++front)
    for (int block = 0; block < fronts.blocks; ++block) {
#pragma omp ordered depend(sink : front - 1, block - 1)
      fronts.run(Sweep::lower, front, block);
#pragma omp ordered depend(source)
    }
}

void relax_upper(const Fronts& fronts) {
#pragma omp parallel for num_threads(fronts.blocks) schedule(static, 1) collapse(2) ordered(2)
  for (int front = 0; front < fronts.count; ++front)
    for (int block = 0; block < fronts.blocks; ++block) {
#pragma omp ordered depend(sink : front - 1, block + 1)
      fronts.run(Sweep::upper, front, block);
#pragma omp ordered depend(source)
    }
}

void step(const Grid& g) {
  const System system(g);
  adi::make_rhs(g);
  const Fronts fronts(system);
  relax_lower(fronts);
  relax_upper(fronts);
  adi::add(g, 1 / (relaxation * (2 - relaxation)));
}

}  // namespace

Outcome run_ssor(const Wanted& wanted, Data& data) {
  return adi::run(classes, wanted, false, data, step);
}

}  // namespace nas
