// Owns: what BT, SP and SSOR share: a compressible flow in a cube, stepped in
// time, by BT and SP in alternating directions. The grid's arrays, the
// right-hand side, the norms and the published numbers that verify them.
//
// Written from the benchmarks' published description (RNR-94-007, section 3).
// Threads share planes along z, but for the solves along z and SSOR's sweeps,
// where they share planes along y: the phase change of paper 001, section 4.1.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "nas/code.hpp"
#include "nas/data.hpp"

namespace nas::adi {

// Density, momentum in x, y and z, energy.
constexpr int equations = 5;
using State = double[equations];
using Norms = std::array<double, equations>;

struct Class {
  const char* name;
  int size, iterations;
  double step;
  Norms residual, error;  // the published ones
  double integral = 0;    // of pressure over a surface; 0: none is published
};

// The gas, in the description's numbers.
constexpr double c1 = 1.4, c2 = 0.4, c3c4 = 0.1, c1c5 = c1 * 1.4;
constexpr double four_thirds = 4.0 / 3.0;
// Of the artificial dissipation.
constexpr double damping = 0.25;
// Of the second differences, by direction.
constexpr double diffusion[] = {0.75, 0.75, 1.0};

struct Grid {
  int size = 0;
  double step = 0;  // of time
  State *u = nullptr, *rhs = nullptr, *forcing = nullptr;
  // What follows from u at each point. `speed`, of sound, is SP's, else null.
  double *inverse_density = nullptr, *velocity[3] = {}, *kinetic = nullptr, *square = nullptr,
         *speed = nullptr;

  double per_length() const { return size - 1; }
  std::ptrdiff_t at(int i, int j, int k) const { return (std::ptrdiff_t{k} * size + j) * size + i; }
  // From a point to the next one in direction 0 (x), 1 (y) or 2 (z).
  std::ptrdiff_t stride(int direction) const {
    return direction == 0 ? 1 : std::ptrdiff_t{size} * (direction == 1 ? 1 : size);
  }
  bool is_inside(int index) const { return index > 0 && index < size - 1; }
};

// Calls solve(first point, stride) for each line along `direction` that is
// inside of the grid; `Work` is made once for each thread, for lines of so many
// points.
template <typename Work, typename Solve>
void for_each_line(const Grid& g, int direction, Solve solve) {
  const std::ptrdiff_t stride = g.stride(direction);
#pragma omp parallel
  {
    Work work(g.size);
#pragma omp for
    for (int outer = 1; outer < g.size - 1; ++outer)
      for (int inner = 1; inner < g.size - 1; ++inner)
        solve(work,
              direction == 0   ? g.at(0, inner, outer)
              : direction == 1 ? g.at(inner, 0, outer)
                               : g.at(inner, outer, 0),
              stride);
  }
}

// Calls change(point) for each point inside, planes along z shared.
template <typename Change>
void for_each_point(const Grid& g, Change change) {
#pragma omp parallel for
  for (int k = 1; k < g.size - 1; ++k)
    for (int j = 1; j < g.size - 1; ++j)
      for (int i = 1; i < g.size - 1; ++i) change(g.at(i, j, k));
}

// rhs: forcing and all differences of u, times the step.
void make_rhs(const Grid& grid);
// u += factor * rhs inside.
void add(const Grid& grid, double factor = 1);

// Runs the benchmark: `step` makes one step of time.
Outcome run(std::span<const Class> classes, const Wanted& wanted, bool needs_speed, Data& data,
            void (*step)(const Grid& grid));

}  // namespace nas::adi
