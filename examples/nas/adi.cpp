// Owns: what BT, SP and SSOR share. See adi.hpp.
#include "nas/adi.hpp"

#include <algorithm>
#include <cmath>

namespace nas::adi {

namespace {

// The exact solution: for each component a polynomial in x, y and z.
constexpr double polynomials[equations][13] = {
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}};

double exact(int m, double x, double y, double z) {
  const double* c = polynomials[m];
  double sum = c[0];
  const double places[] = {x, y, z};
  for (int d = 0; d < 3; ++d) {
    const double at = places[d];
    sum += at * (c[1 + d] + at * (c[4 + d] + at * (c[7 + d] + at * c[10 + d])));
  }
  return sum;
}

// Inside: between the exact solution's values on the six faces.
double between_faces(int m, double x, double y, double z) {
  const double a = x * exact(m, 1, y, z) + (1 - x) * exact(m, 0, y, z);
  const double b = y * exact(m, x, 1, z) + (1 - y) * exact(m, x, 0, z);
  const double c = z * exact(m, x, y, 1) + (1 - z) * exact(m, x, y, 0);
  return a + b + c - a * b - a * c - b * c + a * b * c;
}

// u becomes value(m, x, y, z) inside, and the exact solution on the faces.
template <typename Value>
void set(const Grid& g, Value value) {
  const double length = 1 / g.per_length();
#pragma omp parallel for
  for (int k = 0; k < g.size; ++k)
    for (int j = 0; j < g.size; ++j)
      for (int i = 0; i < g.size; ++i) {
        const bool inside = g.is_inside(i) && g.is_inside(j) && g.is_inside(k);
        const double x = i * length, y = j * length, z = k * length;
        for (int m = 0; m < equations; ++m)
          g.u[g.at(i, j, k)][m] = inside ? value(m, x, y, z) : exact(m, x, y, z);
      }
}

void derive(const Grid& g, std::ptrdiff_t p) {
  const double* u = g.u[p];
  const double inverse = 1 / u[0];
  g.inverse_density[p] = inverse;
  double square = 0;
  for (int d = 0; d < 3; ++d) {
    g.velocity[d][p] = u[1 + d] * inverse;
    square += u[1 + d] * u[1 + d];
  }
  square *= 0.5 * inverse;
  g.square[p] = square;
  g.kinetic[p] = square * inverse;
  if (g.speed != nullptr) g.speed[p] = std::sqrt(c1 * c2 * inverse * (u[4] - square));
}

double second_difference(const double* f, std::ptrdiff_t p, std::ptrdiff_t s) {
  return f[p + s] - 2 * f[p] + f[p - s];
}

// What pressure and friction along one direction do to momentum and energy at
// point `p`.
struct Fluxes {
  const Grid& g;
  const int direction;
  const std::ptrdiff_t s = g.stride(direction);
  const double* w = g.velocity[direction];
  const double first = 0.5 * g.per_length();              // of a central difference
  const double second = g.per_length() * g.per_length();  // of a second one
  const double friction = c3c4 * second;

  double momentum(std::ptrdiff_t p, int m) const {
    const std::ptrdiff_t up = p + s, down = p - s;
    const bool is_along = m == 1 + direction;
    double flux = g.u[up][m] * w[up] - g.u[down][m] * w[down];
    if (is_along) flux += c2 * (g.u[up][4] - g.square[up] - g.u[down][4] + g.square[down]);
    return friction * (is_along ? four_thirds : 1) * second_difference(g.velocity[m - 1], p, s) -
           first * flux;
  }

  double energy(std::ptrdiff_t p) const {
    const std::ptrdiff_t up = p + s, down = p - s;
    const auto heat = [&](std::ptrdiff_t at) { return g.u[at][4] * g.inverse_density[at]; };
    const auto work = [&](std::ptrdiff_t at) {
      return (c1 * g.u[at][4] - c2 * g.square[at]) * w[at];
    };
    return friction * ((1 - c1c5) * second_difference(g.kinetic, p, s) +
                       (w[up] * w[up] - 2 * w[p] * w[p] + w[down] * w[down]) / 6 +
                       c1c5 * (heat(up) - 2 * heat(p) + heat(down))) -
           first * (work(up) - work(down));
  }

  // Fourth differences; near the faces those that need no point outside.
  double dissipation(std::ptrdiff_t p, int m, int index) const {
    const int last = g.size - 2;
    double sum = (index == 1 || index == last ? 5 : 6) * g.u[p][m];
    if (index > 1) sum -= 4 * g.u[p - s][m];
    if (index > 2) sum += g.u[p - 2 * s][m];
    if (index < last) sum -= 4 * g.u[p + s][m];
    if (index < last - 1) sum += g.u[p + 2 * s][m];
    return damping * sum;
  }

  void add_to(double* rhs, std::ptrdiff_t p, int index) const {
    for (int m = 0; m < equations; ++m)
      rhs[m] += diffusion[direction] * second * (g.u[p + s][m] - 2 * g.u[p][m] + g.u[p - s][m]) -
                dissipation(p, m, index);
    rhs[0] -= first * (g.u[p + s][1 + direction] - g.u[p - s][1 + direction]);
    for (int m = 1; m <= 3; ++m) rhs[m] += momentum(p, m);
    rhs[4] += energy(p);
  }
};

void derive_all(const Grid& g) {
#pragma omp parallel for
  for (int k = 0; k < g.size; ++k)
    for (std::ptrdiff_t p = g.at(0, 0, k); p < g.at(0, 0, k + 1); ++p) {
      derive(g, p);
      for (int m = 0; m < equations; ++m) g.rhs[p][m] = g.forcing[p][m];
    }
}

// rhs: forcing and all differences of u.
void add_fluxes(const Grid& g) {
  derive_all(g);
  const Fluxes along[] = {{g, 0}, {g, 1}, {g, 2}};
#pragma omp parallel for
  for (int k = 1; k < g.size - 1; ++k)
    for (const Fluxes& fluxes : along)
      for (int j = 1; j < g.size - 1; ++j)
        for (int i = 1; i < g.size - 1; ++i) {
          const int places[] = {i, j, k};
          const std::ptrdiff_t p = g.at(i, j, k);
          fluxes.add_to(g.rhs[p], p, places[fluxes.direction]);
        }
}

// The exact solution is to be the steady one: forcing takes away what the
// differences make of it.
void make_forcing(const Grid& g) {
  set(g, exact);
  add_fluxes(g);
  for_each_point(g, [&](std::ptrdiff_t p) {
    for (int m = 0; m < equations; ++m) g.forcing[p][m] = -g.rhs[p][m];
  });
}

// The root of the mean square of value(point, m, x, y, z) over planes [first,
// last] of all directions.
template <typename Value>
Norms norms(const Grid& g, int first, int last, Value value) {
  Norms sums = {};
  const double length = 1 / g.per_length();
  for (int k = first; k <= last; ++k)
    for (int j = first; j <= last; ++j)
      for (int i = first; i <= last; ++i)
        for (int m = 0; m < equations; ++m) {
          const double one = value(g.at(i, j, k), m, i * length, j * length, k * length);
          sums[static_cast<std::size_t>(m)] += one * one;
        }
  for (double& sum : sums) sum = std::sqrt(sum / std::pow(g.size - 2, 3));
  return sums;
}

// Of pressure over the surface of the published box, by trapezoids.
double surface_integral(const Grid& g) {
  const int first[] = {1, 1, 2}, last[] = {g.size - 2, g.size - 3, g.size - 2};
  const auto pressure = [&](std::ptrdiff_t p) { return c2 * (g.u[p][4] - g.square[p]); };
  double sum = 0;
  for (int d = 0; d < 3; ++d) {
    const int a = (d + 1) % 3, b = (d + 2) % 3;
    const std::ptrdiff_t along_a = g.stride(a), along_b = g.stride(b);
    for (const int face : {first[d], last[d]})
      for (int i = first[a]; i < last[a]; ++i)
        for (int j = first[b]; j < last[b]; ++j) {
          const std::ptrdiff_t p = face * g.stride(d) + i * along_a + j * along_b;
          sum += pressure(p) + pressure(p + along_a) + pressure(p + along_b) +
                 pressure(p + along_a + along_b);
        }
  }
  return 0.25 * sum / (g.per_length() * g.per_length());
}

bool is_near(double have, double want) { return std::abs(have - want) <= 1e-8 * std::abs(want); }

bool are_near(const Norms& have, const Norms& want) {
  return std::equal(have.begin(), have.end(), want.begin(), is_near);
}

Grid make_grid(const Class& c, bool needs_speed, Data& data) {
  const auto planes = static_cast<std::size_t>(c.size), plane = planes * planes;
  Grid g;
  g.size = c.size;
  g.step = c.step;
  for (State** field : {&g.u, &g.rhs, &g.forcing}) *field = data.array<State>(planes, plane);
  for (double** field :
       {&g.inverse_density, &g.velocity[0], &g.velocity[1], &g.velocity[2], &g.kinetic, &g.square})
    *field = data.array<double>(planes, plane);
  if (needs_speed) g.speed = data.array<double>(planes, plane);
  return g;
}

Outcome verify(const Grid& g, const Class& c) {
  const Norms error =
      norms(g, 0, g.size - 1, [&](std::ptrdiff_t p, int m, double x, double y, double z) {
        return g.u[p][m] - exact(m, x, y, z);
      });
  make_rhs(g);
  const Norms residual =
      norms(g, 1, g.size - 2,
            [&](std::ptrdiff_t p, int m, double, double, double) { return g.rhs[p][m] / g.step; });
  const bool is_integral_near = c.integral == 0 || is_near(surface_integral(g), c.integral);
  return {
      .verified = are_near(error, c.error) && are_near(residual, c.residual) && is_integral_near,
      .value = residual[0],
      .wanted = c.residual[0]};
}

}  // namespace

void make_rhs(const Grid& g) {
  add_fluxes(g);
  for_each_point(g, [&](std::ptrdiff_t p) {
    for (int m = 0; m < equations; ++m) g.rhs[p][m] *= g.step;
  });
}

void add(const Grid& g, double factor) {
  for_each_point(g, [&](std::ptrdiff_t p) {
    for (int m = 0; m < equations; ++m) g.u[p][m] += factor * g.rhs[p][m];
  });
}

Outcome run(std::span<const Class> classes, const Wanted& wanted, bool needs_speed, Data& data,
            void (*step)(const Grid& grid)) {
  const auto* c = class_named(classes, wanted.kind);
  if (c == nullptr) return {.known = false};
  const Grid g = make_grid(*c, needs_speed, data);
  make_forcing(g);
  set(g, between_faces);
  data.begin();
  const int iterations = wanted.iterations > 0 ? wanted.iterations : c->iterations;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    step(g);
    data.iteration_ended();
  }
  Outcome outcome = verify(g, *c);
  outcome.comparable = iterations == c->iterations;
  return outcome;
}

}  // namespace nas::adi
