// CG: the smallest eigenvalue of a sparse matrix by inverse iteration, each
// step a conjugate gradient solve of 25 sweeps. Accesses are irregular: each
// thread reads rows of its own, and the whole vector.
//
// Written from the benchmark's published description.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "nas/code.hpp"
#include "nas/data.hpp"
#include "nas/random.hpp"

namespace nas {

namespace {

struct Class {
  const char* name;
  int order, nonzeros, iterations;
  double shift, zeta;
};
constexpr Class classes[] = {{"S", 1400, 7, 15, 10, 8.5971775078648},
                             {"W", 7000, 8, 15, 12, 10.362595087124},
                             {"A", 14000, 11, 15, 20, 17.130235054029}};

struct Element {
  int column;
  double value;
};
using Rows = std::vector<std::vector<Element>>;

// A vector of `nonzeros` random elements at random places, and 0.5 at place
// `own`.
std::vector<Element> random_vector(Random& random, int order, int nonzeros, int own) {
  int power = 1;
  while (power < order) power *= 2;
  std::vector<Element> made;
  while (static_cast<int>(made.size()) < nonzeros) {
    const double value = random.next();
    const int place = static_cast<int>(power * random.next());
    const bool is_there = std::any_of(made.begin(), made.end(),
                                      [place](const Element& e) { return e.column == place; });
    if (place < order && !is_there) made.push_back({place, value});
  }
  for (Element& element : made)
    if (element.column == own) {
      element.value = 0.5;
      return made;
    }
  made.push_back({own, 0.5});
  return made;
}

void add(std::vector<Element>& row, const Element& added) {
  for (Element& element : row)
    if (element.column == added.column) {
      element.value += added.value;
      return;
    }
  row.push_back(added);
}

// The sum of the outer products of random vectors, weighted so that the
// condition is 1 / 0.1, minus the shift.
Rows make_rows(const Class& c) {
  constexpr double condition = 0.1;
  Random random;
  random.next();
  Rows rows(static_cast<std::size_t>(c.order));
  const double ratio = std::pow(condition, 1.0 / c.order);
  double size = 1;
  for (int outer = 0; outer < c.order; ++outer, size *= ratio) {
    const std::vector<Element> vector = random_vector(random, c.order, c.nonzeros, outer);
    for (const Element& down : vector)
      for (const Element& across : vector)
        add(rows[static_cast<std::size_t>(down.column)],
            {across.column, across.value * (size * down.value)});
  }
  for (int i = 0; i < c.order; ++i)
    add(rows[static_cast<std::size_t>(i)], {i, condition - c.shift});
  for (std::vector<Element>& row : rows)
    std::sort(row.begin(), row.end(),
              [](const Element& a, const Element& b) { return a.column < b.column; });
  return rows;
}

// Rows one after the other, and the vectors.
struct System {
  int order = 0;
  int* begins = nullptr;
  int* columns = nullptr;
  double* values = nullptr;
  double *x = nullptr, *z = nullptr, *p = nullptr, *q = nullptr, *r = nullptr;
};

System make_system(const Class& c, Data& data) {
  const Rows rows = make_rows(c);
  std::size_t elements = 0;
  for (const std::vector<Element>& row : rows) elements += row.size();
  const auto order = static_cast<std::size_t>(c.order);
  System s;
  s.order = c.order;
  s.begins = data.array<int>(order + 1, 1);
  s.columns = data.array<int>(elements, 1);
  s.values = data.array<double>(elements, 1);
  for (double** vector : {&s.x, &s.z, &s.p, &s.q, &s.r}) *vector = data.array<double>(order, 1);
  int at = 0;
  for (int i = 0; i < c.order; ++i) {
    s.begins[i] = at;
    for (const Element& element : rows[static_cast<std::size_t>(i)]) {
      s.columns[at] = element.column;
      s.values[at++] = element.value;
    }
  }
  s.begins[c.order] = at;
  return s;
}

void multiply(const System& s, const double* from, double* to) {
#pragma omp for
  for (int i = 0; i < s.order; ++i) {
    double sum = 0;
    for (int at = s.begins[i]; at < s.begins[i + 1]; ++at)
      sum += s.values[at] * from[s.columns[at]];
    to[i] = sum;
  }
}

// Solves A z = x, nearly. Sums are shared by the threads.
void solve(const System& s) {
  constexpr int sweeps = 25;
  double rho = 0, d = 0, next = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : rho)
    for (int i = 0; i < s.order; ++i) {
      s.z[i] = s.q[i] = 0;
      s.r[i] = s.p[i] = s.x[i];
      rho += s.x[i] * s.x[i];
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      multiply(s, s.p, s.q);
#pragma omp single
      d = next = 0;
#pragma omp for reduction(+ : d)
      for (int i = 0; i < s.order; ++i) d += s.p[i] * s.q[i];
      const double alpha = rho / d;
#pragma omp for reduction(+ : next)
      for (int i = 0; i < s.order; ++i) {
        s.z[i] += alpha * s.p[i];
        s.r[i] -= alpha * s.q[i];
        next += s.r[i] * s.r[i];
      }
      const double beta = next / rho;
#pragma omp for
      for (int i = 0; i < s.order; ++i) s.p[i] = s.r[i] + beta * s.p[i];
#pragma omp single
      rho = next;
    }
  }
}

// x becomes z, normed. Returns x z before.
double norm(const System& s) {
  double product = 0, square = 0;
#pragma omp parallel for reduction(+ : product, square)
  for (int i = 0; i < s.order; ++i) {
    product += s.x[i] * s.z[i];
    square += s.z[i] * s.z[i];
  }
  const double scale = 1 / std::sqrt(square);
#pragma omp parallel for
  for (int i = 0; i < s.order; ++i) s.x[i] = scale * s.z[i];
  return product;
}

}  // namespace

Outcome run_cg(const Wanted& wanted, Data& data) {
  const auto* c = class_named(classes, wanted.kind);
  if (c == nullptr) return {.known = false};
  const System s = make_system(*c, data);
#pragma omp parallel for
  for (int i = 0; i < s.order; ++i) s.x[i] = 1;
  data.begin();
  const int iterations = wanted.iterations > 0 ? wanted.iterations : c->iterations;
  double zeta = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    solve(s);
    zeta = c->shift + 1 / norm(s);
    data.iteration_ended();
  }
  return {.verified = std::abs(zeta - c->zeta) <= 1e-10,
          .value = zeta,
          .wanted = c->zeta,
          .comparable = iterations == c->iterations};
}

}  // namespace nas
