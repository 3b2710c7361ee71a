// Sparse: a sparse symmetric system, solved by conjugate gradients with the diagonal as
// preconditioner: heat that flows through a cube of cells whose conductivities differ by up to ten.
// Rows are lists of columns and values, and are dealt out in blocks. An iteration is one sweep.
//
// Not of the NAS benchmarks: where CG's matrix is random, this one is a mesh's, as most are.
// Verified by the solution, which is known.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "nas/code.hpp"
#include "nas/data.hpp"
#include "nas/random.hpp"

namespace nas {

namespace {

struct Class {
  const char* name;
  int edge;    // cells along each edge of the cube
  int sweeps;  // by which the solution is exact to 1e-9
};
constexpr Class classes[] = {{"S", 12, 130}, {"W", 32, 220}, {"A", 48, 260}};

std::size_t size(int count) { return static_cast<std::size_t>(count); }

// Rows one after the other, and the vectors.
struct System {
  int order = 0;
  int* begins = nullptr;  // by row, where its elements begin; and behind the last
  int* columns = nullptr;
  double* values = nullptr;
  double* diagonal = nullptr;
  double *x = nullptr, *r = nullptr, *p = nullptr, *q = nullptr;
};

// The cells that one has a face with, in their order; itself among them.
std::vector<int> neighbours(int cell, int edge) {
  const int x = cell % edge, y = cell / edge % edge, z = cell / (edge * edge);
  std::vector<int> cells;
  const auto add = [&cells](bool is_there, int other) {
    if (is_there) cells.push_back(other);
  };
  add(z > 0, cell - edge * edge);
  add(y > 0, cell - edge);
  add(x > 0, cell - 1);
  add(true, cell);
  add(x < edge - 1, cell + 1);
  add(y < edge - 1, cell + edge);
  add(z < edge - 1, cell + edge * edge);
  return cells;
}

double between(double one, double other) { return 2 * one * other / (one + other); }

// Each cell loses a little to outside, so that the matrix is definite.
void make_row(System& s, int cell, int edge, const std::vector<double>& conductivity) {
  constexpr double loss = 0.1;
  int at = s.begins[cell], own = at;
  double sum = loss;
  for (const int other : neighbours(cell, edge)) {
    s.columns[at] = other;
    if (other == cell) {
      own = at++;
      continue;
    }
    const double flow = between(conductivity[size(cell)], conductivity[size(other)]);
    s.values[at++] = -flow;
    sum += flow;
  }
  s.values[own] = s.diagonal[cell] = sum;
  s.begins[cell + 1] = at;
}

System make_system(int edge, Data& data) {
  System s;
  s.order = edge * edge * edge;
  const std::size_t elements = size(7 * s.order - 6 * edge * edge);
  s.begins = data.array<int>(size(s.order) + 1, 1);
  s.columns = data.array<int>(elements, 1);
  s.values = data.array<double>(elements, 1);
  for (double** vector : {&s.diagonal, &s.x, &s.r, &s.p, &s.q})
    *vector = data.array<double>(size(s.order), 1);
  Random random;
  std::vector<double> conductivity(size(s.order));
  for (double& one : conductivity) one = 1 + 9 * random.next();
  s.begins[0] = 0;
  for (int cell = 0; cell < s.order; ++cell) make_row(s, cell, edge, conductivity);
  return s;
}

double row_times(const System& s, int row, const double* vector) {
  double sum = 0;
  for (int at = s.begins[row]; at < s.begins[row + 1]; ++at)
    sum += s.values[at] * vector[s.columns[at]];
  return sum;
}

// Of the element of the solution that belongs to the row.
double solution(int row) { return 1 + row % 7; }

// From x = 0, with the right-hand side of that solution: the product of r and r by the
// preconditioner.
double begin_sweeps(const System& s) {
  double rho = 0;
#pragma omp parallel for schedule(static)
  for (int row = 0; row < s.order; ++row) s.q[row] = solution(row);
#pragma omp parallel for schedule(static) reduction(+ : rho)
  for (int row = 0; row < s.order; ++row) {
    s.x[row] = 0;
    s.r[row] = row_times(s, row, s.q);
    s.p[row] = s.r[row] / s.diagonal[row];
    rho += s.r[row] * s.p[row];
  }
  return rho;
}

double sweep(const System& s, double rho) {
  double curvature = 0, next = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : curvature)
    for (int row = 0; row < s.order; ++row) {
      s.q[row] = row_times(s, row, s.p);
      curvature += s.p[row] * s.q[row];
    }
    const double alpha = rho / curvature;
#pragma omp for schedule(static) reduction(+ : next)
    for (int row = 0; row < s.order; ++row) {
      s.x[row] += alpha * s.p[row];
      s.r[row] -= alpha * s.q[row];
      next += s.r[row] * s.r[row] / s.diagonal[row];
    }
#pragma omp for schedule(static)
    for (int row = 0; row < s.order; ++row)
      s.p[row] = s.r[row] / s.diagonal[row] + next / rho * s.p[row];
  }
  return next;
}

double error_of(const System& s) {
  double largest = 0;
  for (int row = 0; row < s.order; ++row)
    largest = std::max(largest, std::abs(s.x[row] - solution(row)));
  return largest;
}

}  // namespace

Outcome run_sparse(const Wanted& wanted, Data& data) {
  const auto* c = class_named(classes, wanted.kind);
  if (c == nullptr) return {.known = false};
  const System s = make_system(c->edge, data);
  double rho = begin_sweeps(s);
  data.begin();
  const int sweeps = wanted.iterations > 0 ? wanted.iterations : c->sweeps;
  for (int done = 0; done < sweeps; ++done) {
    rho = sweep(s, rho);
    data.iteration_ended();
  }
  const double error = error_of(s);
  return {
      .verified = error <= 1e-9, .value = error, .wanted = 0, .comparable = sweeps == c->sweeps};
}

}  // namespace nas
