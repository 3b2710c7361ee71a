// SP: the systems of each direction are made diagonal in the five components:
// what is left are scalar pentadiagonal systems, three for each line of the
// grid.
//
// Written from the benchmark's published description.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nas/adi.hpp"

namespace nas {

namespace {

using adi::equations;
using adi::Grid;
using adi::State;

constexpr adi::Class classes[] = {
    {"S",
     12,
     100,
     0.015,
     {2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
      1.5840557224455615e-02, 3.4849040609362460e-02},
     {2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
      1.5750704994480102e-05, 3.4177666183390531e-05}},
    {"W",
     36,
     400,
     0.0015,
     {0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03,
      0.3143611161242e-02},
     {0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04,
      0.1212845639773e-03}},
    {"A",
     64,
     400,
     0.0015,
     {2.4799822399300195e+00, 1.1276337964368832e+00, 1.5028977888770491e+00,
      1.4217816211695179e+00, 2.1292113035138280e+00},
     {1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05,
      4.7671093939528255e-05, 1.3621613399213001e-04}}};

constexpr double root_half = std::numbers::sqrt2 / 2;

// A row of a pentadiagonal system.
struct Row {
  double below2 = 0, below = 0, diagonal = 1, above = 0, above2 = 0;
};

// What a thread needs to solve a line, its own: its accesses are not counted.
struct Line {
  explicit Line(int size)
      : rows(static_cast<std::size_t>(size)),
        faster(rows.size()),
        slower(rows.size()),
        velocity(rows.size()),
        friction(rows.size()),
        speed(rows.size()) {}

  // Waves that move with the gas, and those of sound in both directions.
  std::vector<Row> rows, faster, slower;
  std::vector<double> velocity, friction, speed;
};

void read_line(const Grid& g, int direction, std::ptrdiff_t first, std::ptrdiff_t stride,
               Line& line) {
  for (int i = 0; i < g.size; ++i) {
    const std::ptrdiff_t p = first + i * stride;
    const auto at = static_cast<std::size_t>(i);
    line.velocity[at] = g.velocity[direction][p];
    line.speed[at] = g.speed[p];
    line.friction[at] = adi::diffusion[direction] +
                        adi::c3c4 * g.inverse_density[p] * std::max(adi::four_thirds, adi::c1c5);
  }
}

// As for the right-hand side, fourth differences that need no point outside.
__attribute__((no_sanitize("thread"))) void add_dissipation(int index, int last, double by,
                                                            Row& row) {
  row.diagonal += (index == 1 || index == last ? 5 : 6) * by;
  if (index > 1) row.below -= 4 * by;
  if (index > 2) row.below2 += by;
  if (index < last) row.above -= 4 * by;
  if (index < last - 1) row.above2 += by;
}

__attribute__((no_sanitize("thread"))) void make_rows(const Grid& g, Line& line) {
  const double first = 0.5 * g.step * g.per_length();
  const double second = g.step * g.per_length() * g.per_length();
  const double *w = line.velocity.data(), *f = line.friction.data(), *s = line.speed.data();
  Row *rows = line.rows.data(), *faster = line.faster.data(), *slower = line.slower.data();
  rows[0] = faster[0] = slower[0] = Row{};
  for (int i = 1; i < g.size - 1; ++i) {
    Row row{0, -first * w[i - 1] - second * f[i - 1], 1 + 2 * second * f[i],
            first * w[i + 1] - second * f[i + 1], 0};
    add_dissipation(i, g.size - 2, adi::damping * g.step, row);
    rows[i] = faster[i] = slower[i] = row;
    faster[i].below -= first * s[i - 1];
    faster[i].above += first * s[i + 1];
    slower[i].below += first * s[i - 1];
    slower[i].above -= first * s[i + 1];
  }
  rows[g.size - 1] = faster[g.size - 1] = slower[g.size - 1] = Row{};
}

// Components [begin, end) of the right-hand side along a line.
struct Right {
  State* start;
  std::ptrdiff_t stride;
  int begin, end;

  double* at(int i) const { return start[i * stride]; }
};

// right at `i` -= by times right at `j`.
void subtract(const Right& right, int i, double by, int j) {
  for (int m = right.begin; m < right.end; ++m) right.at(i)[m] -= by * right.at(j)[m];
}

void eliminate(std::vector<Row>& rows, const Right& right) {
  const int size = static_cast<int>(rows.size());
  Row* row = rows.data();
  for (int i = 0; i < size; ++i) {
    const double factor = 1 / row[i].diagonal;
    row[i].above *= factor;
    row[i].above2 *= factor;
    for (int m = right.begin; m < right.end; ++m) right.at(i)[m] *= factor;
    if (i + 1 < size) {
      row[i + 1].diagonal -= row[i + 1].below * row[i].above;
      row[i + 1].above -= row[i + 1].below * row[i].above2;
      subtract(right, i + 1, row[i + 1].below, i);
    }
    if (i + 2 < size) {
      row[i + 2].below -= row[i + 2].below2 * row[i].above;
      row[i + 2].diagonal -= row[i + 2].below2 * row[i].above2;
      subtract(right, i + 2, row[i + 2].below2, i);
    }
  }
  for (int i = size - 2; i >= 0; --i) {
    subtract(right, i, row[i].above, i + 1);
    if (i + 2 < size) subtract(right, i, row[i].above2, i + 2);
  }
}

void solve(const Grid& g, int direction) {
  adi::for_each_line<Line>(g, direction,
                           [&](Line& line, std::ptrdiff_t first, std::ptrdiff_t stride) {
                             read_line(g, direction, first, stride, line);
                             make_rows(g, line);
                             State* rhs = g.rhs + first;
                             eliminate(line.rows, {rhs, stride, 0, 3});
                             eliminate(line.faster, {rhs, stride, 3, 4});
                             eliminate(line.slower, {rhs, stride, 4, 5});
                           });
}

// From the equations' components to the waves along x.
void to_waves(const Grid& g) {
  adi::for_each_point(g, [&](std::ptrdiff_t p) {
    double* r = g.rhs[p];
    const double inverse = g.inverse_density[p], speed = g.speed[p];
    const double x = g.velocity[0][p], y = g.velocity[1][p], z = g.velocity[2][p];
    const double r0 = r[0], r2 = r[2], r3 = r[3];
    const double a =
        adi::c2 / (speed * speed) * (g.kinetic[p] * r0 - x * r[1] - y * r2 - z * r3 + r[4]);
    const double b = root_half * inverse * (x * r0 - r[1]);
    const double c = root_half * inverse * speed * a;
    r[0] = r0 - a;
    r[1] = -inverse * (z * r0 - r3);
    r[2] = inverse * (y * r0 - r2);
    r[3] = c - b;
    r[4] = c + b;
  });
}

// From the waves along x to those along y.
void from_x_to_y(const Grid& g) {
  adi::for_each_point(g, [&](std::ptrdiff_t p) {
    double* r = g.rhs[p];
    const double r0 = r[0], r1 = r[1], a = root_half * r[2], b = 0.5 * (r[3] + r[4]);
    r[0] = -r1;
    r[1] = r0;
    r[2] = root_half * (r[3] - r[4]);
    r[3] = b - a;
    r[4] = b + a;
  });
}

void from_y_to_z(const Grid& g) {
  adi::for_each_point(g, [&](std::ptrdiff_t p) {
    double* r = g.rhs[p];
    const double r1 = r[1], a = root_half * r[0], b = 0.5 * (r[3] + r[4]);
    r[0] = root_half * (r[3] - r[4]);
    r[1] = -r[2];
    r[2] = r1;
    r[3] = b - a;
    r[4] = b + a;
  });
}

// From the waves along z to the equations' components.
void from_waves(const Grid& g) {
  adi::for_each_point(g, [&](std::ptrdiff_t p) {
    double* r = g.rhs[p];
    const double speed = g.speed[p], density = g.u[p][0];
    const double x = g.velocity[0][p], y = g.velocity[1][p], z = g.velocity[2][p];
    const double r0 = r[0], r1 = r[1];
    const double a = root_half * density / speed * (r[3] + r[4]), b = r[2] + a;
    const double c = root_half * density * (r[3] - r[4]);
    r[0] = b;
    r[1] = x * b - density * r1;
    r[2] = y * b + density * r0;
    r[3] = z * b + c;
    r[4] = density * (y * r0 - x * r1) + g.kinetic[p] * b + speed * speed * a / adi::c2 + z * c;
  });
}

void step(const Grid& g) {
  adi::make_rhs(g);
  to_waves(g);
  solve(g, 0);
  from_x_to_y(g);
  solve(g, 1);
  from_y_to_z(g);
  solve(g, 2);
  from_waves(g);
  adi::add(g);
}

}  // namespace

Outcome run_sp(const Wanted& wanted, Data& data) {
  return adi::run(classes, wanted, true, data, step);
}

}  // namespace nas
