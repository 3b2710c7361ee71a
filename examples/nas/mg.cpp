// MG: V-cycles of a multigrid solver of Poisson's equation on a cube with
// periodic boundaries. Threads share the planes of each grid; the coarse grids
// have fewer planes than there are threads.
//
// Written from the benchmark's published description.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "nas/code.hpp"
#include "nas/data.hpp"
#include "nas/random.hpp"

namespace nas {

namespace {

struct Class {
  const char* name;
  int size, iterations;
  double norm;
};
constexpr Class classes[] = {{"S", 32, 4, 0.5307707005734e-04},
                             {"W", 128, 4, 0.6467329375339e-05},
                             {"A", 256, 4, 0.2433365309069e-05}};

// Of 27 points: the middle, faces, edges, corners.
struct Stencil {
  double middle, face, edge, corner;
};
constexpr Stencil laplacian{-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
constexpr Stencil smoother{-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};

// A cube of points with a layer of copies of the opposite side around it.
struct Grid {
  double* points = nullptr;
  int size = 0;

  std::ptrdiff_t row() const { return size + 2; }
  std::ptrdiff_t plane() const { return row() * row(); }
  double* at(int z, int y) const { return points + z * plane() + y * row(); }
};

Grid make_grid(int size, Data& data) {
  const auto side = static_cast<std::size_t>(size + 2);
  return {data.array<double>(side, side * side), size};
}

// The copies. Planes of the own share first, then the two at the ends.
void wrap(const Grid& g) {
  const int n = g.size;
#pragma omp parallel
  {
#pragma omp for
    for (int z = 1; z <= n; ++z) {
      for (int y = 1; y <= n; ++y) {
        double* row = g.at(z, y);
        row[0] = row[n];
        row[n + 1] = row[1];
      }
      copy(g.at(z, n), n + 2, g.at(z, 0));
      copy(g.at(z, 1), n + 2, g.at(z, n + 1));
    }
#pragma omp for
    for (int y = 0; y <= n + 1; ++y) {
      copy(g.at(n, y), n + 2, g.at(0, y));
      copy(g.at(1, y), n + 2, g.at(n + 1, y));
    }
  }
}

void clear(const Grid& g) {
#pragma omp parallel for
  for (int z = 0; z <= g.size + 1; ++z) std::fill_n(g.at(z, 0), g.plane(), 0.0);
}

// Sums of the four neighbours of each point of a row in its plane across it:
// those that share a face, and those that share an edge.
struct Sums {
  std::vector<double> near, far;
  explicit Sums(int size)
      : near(static_cast<std::size_t>(size + 2)), far(static_cast<std::size_t>(size + 2)) {}

  void fill(const Grid& g, int z, int y) {
    const double *up = g.at(z, y - 1), *down = g.at(z, y + 1);
    const double *back = g.at(z - 1, y), *front = g.at(z + 1, y);
    const double *a = g.at(z - 1, y - 1), *b = g.at(z - 1, y + 1);
    const double *c = g.at(z + 1, y - 1), *d = g.at(z + 1, y + 1);
    for (std::size_t x = 0; x < near.size(); ++x) {
      near[x] = up[x] + down[x] + back[x] + front[x];
      far[x] = a[x] + b[x] + c[x] + d[x];
    }
  }
};

double apply(const Stencil& s, const double* row, const Sums& sums, std::size_t x) {
  double value = s.middle * row[x] + s.edge * (sums.far[x] + sums.near[x - 1] + sums.near[x + 1]) +
                 s.corner * (sums.far[x - 1] + sums.far[x + 1]);
  if (s.face != 0) value += s.face * (row[x - 1] + row[x + 1] + sums.near[x]);
  return value;
}

// r = v - A u. v and r may be one.
void residual(const Grid& u, const Grid& v, const Grid& r) {
  const int n = u.size;
#pragma omp parallel
  {
    Sums sums(n);
#pragma omp for
    for (int z = 1; z <= n; ++z)
      for (int y = 1; y <= n; ++y) {
        sums.fill(u, z, y);
        const double *from = u.at(z, y), *wanted = v.at(z, y);
        double* to = r.at(z, y);
        for (std::size_t x = 1; x <= static_cast<std::size_t>(n); ++x)
          to[x] = wanted[x] - apply(laplacian, from, sums, x);
      }
  }
  wrap(r);
}

// u += S r
void smooth(const Grid& r, const Grid& u) {
  const int n = u.size;
#pragma omp parallel
  {
    Sums sums(n);
#pragma omp for
    for (int z = 1; z <= n; ++z)
      for (int y = 1; y <= n; ++y) {
        sums.fill(r, z, y);
        const double* from = r.at(z, y);
        double* to = u.at(z, y);
        for (std::size_t x = 1; x <= static_cast<std::size_t>(n); ++x)
          to[x] += apply(smoother, from, sums, x);
      }
  }
  wrap(u);
}

// Point c of the coarse grid is point 2 c of the fine one, counted with the
// copies.
void restrict_to(const Grid& coarse, const Grid& fine) {
  constexpr Stencil half{0.5, 0.25, 0.125, 0.0625};
#pragma omp parallel
  {
    Sums sums(fine.size);
#pragma omp for
    for (int z = 1; z <= coarse.size; ++z)
      for (int y = 1; y <= coarse.size; ++y) {
        sums.fill(fine, 2 * z, 2 * y);
        const double* from = fine.at(2 * z, 2 * y);
        double* to = coarse.at(z, y);
        for (int x = 1; x <= coarse.size; ++x)
          to[x] = apply(half, from, sums, static_cast<std::size_t>(2 * x));
      }
  }
  wrap(coarse);
}

// fine += what lies between the points of the coarse one.
void interpolate(const Grid& coarse, const Grid& fine) {
  const int n = fine.size;
#pragma omp parallel for
  for (int z = 1; z <= n; ++z)
    for (int y = 1; y <= n; ++y) {
      const int low_z = z / 2, high_z = (z + 1) / 2, low_y = y / 2, high_y = (y + 1) / 2;
      const double *a = coarse.at(low_z, low_y), *b = coarse.at(low_z, high_y);
      const double *c = coarse.at(high_z, low_y), *d = coarse.at(high_z, high_y);
      double* to = fine.at(z, y);
      for (int x = 1; x <= n; ++x) {
        const int low = x / 2, high = (x + 1) / 2;
        to[x] +=
            0.125 * (a[low] + b[low] + c[low] + d[low] + a[high] + b[high] + c[high] + d[high]);
      }
    }
  wrap(fine);
}

double norm_of(const Grid& r) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int z = 1; z <= r.size; ++z)
    for (int y = 1; y <= r.size; ++y) {
      const double* row = r.at(z, y);
      for (int x = 1; x <= r.size; ++x) sum += row[x] * row[x];
    }
  return std::sqrt(sum / (static_cast<double>(r.size) * r.size * r.size));
}

// 1 at the ten points with the largest of random numbers, -1 at those with the
// smallest.
void charge(const Grid& v) {
  constexpr std::size_t charges = 10;
  const std::size_t n = static_cast<std::size_t>(v.size);
  std::vector<std::pair<double, std::size_t>> numbers(n * n * n);
  Random random;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = {random.next(), i};
  const auto set = [&](std::size_t i, double value) {
    v.at(static_cast<int>(i / (n * n)) + 1, static_cast<int>(i / n % n) + 1)[i % n + 1] = value;
  };
  std::partial_sort(numbers.begin(), numbers.begin() + charges, numbers.end());
  for (std::size_t i = 0; i < charges; ++i) set(numbers[i].second, -1);
  std::partial_sort(numbers.begin(), numbers.begin() + charges, numbers.end(), std::greater<>());
  for (std::size_t i = 0; i < charges; ++i) set(numbers[i].second, 1);
  wrap(v);
}

// The largest grid comes last.
struct Levels {
  std::vector<Grid> u, r;
  Grid v;
};

void cycle(const Levels& levels) {
  const std::size_t top = levels.u.size() - 1;
  for (std::size_t k = top; k > 0; --k) restrict_to(levels.r[k - 1], levels.r[k]);
  clear(levels.u[0]);
  smooth(levels.r[0], levels.u[0]);
  for (std::size_t k = 1; k <= top; ++k) {
    if (k < top) clear(levels.u[k]);
    interpolate(levels.u[k - 1], levels.u[k]);
    residual(levels.u[k], k < top ? levels.r[k] : levels.v, levels.r[k]);
    smooth(levels.r[k], levels.u[k]);
  }
}

}  // namespace

Outcome run_mg(const Wanted& wanted, Data& data) {
  const auto* c = class_named(classes, wanted.kind);
  if (c == nullptr) return {.known = false};
  Levels levels;
  levels.v = make_grid(c->size, data);
  for (int size = 2; size <= c->size; size *= 2) {
    levels.u.push_back(make_grid(size, data));
    levels.r.push_back(make_grid(size, data));
  }
  clear(levels.v);
  charge(levels.v);
  clear(levels.u.back());
  residual(levels.u.back(), levels.v, levels.r.back());
  data.begin();
  const int iterations = wanted.iterations > 0 ? wanted.iterations : c->iterations;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    cycle(levels);
    residual(levels.u.back(), levels.v, levels.r.back());
    data.iteration_ended();
  }
  const double norm = norm_of(levels.r.back());
  return {.verified = std::abs(norm - c->norm) <= 1e-8 * c->norm,
          .value = norm,
          .wanted = c->norm,
          .comparable = iterations == c->iterations};
}

}  // namespace nas
