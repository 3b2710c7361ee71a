#include "zone.hpp"

#include <algorithm>
#include <cstring>

namespace zones {

Zone::Zone(std::array<int, 3> first, std::array<int, 3> size, const Triple& spacing, double dt)
    : first_(first),
      size_(size),
      spacing_(spacing),
      dt_(dt),
      row_(size[0] + 2),
      plane_(row_ * (size[1] + 2)),
      stencils_{stencil_of(0, spacing[0]), stencil_of(1, spacing[1]), stencil_of(2, spacing[2])},
      solvers_{LineSolver(stencils_[0], dt / 2, size[0]), LineSolver(stencils_[1], dt / 2, size[1]),
               LineSolver(stencils_[2], dt / 2, size[2])},
      u_(plane_ * (size[2] + 2)),
      change_(u_.size()) {}

int Zone::units(Phase phase) const {
  if (phase == Phase::solve_y) return size_[2] * bundles();
  if (phase == Phase::solve_z) return size_[1] * bundles();
  return size_[2] * size_[1];
}

void Zone::work(Phase phase, int unit) {
  const int first = first_line(unit), lines = lines_from(first);
  switch (phase) {
    case Phase::rate:
      return rate_line(unit % size_[1], unit / size_[1]);
    case Phase::solve_x:
      return solvers_[0].solve(&change_[at(0, unit % size_[1], unit / size_[1])], 1, 1);
    case Phase::solve_y:
      return solve_y(first, lines, unit / bundles());
    case Phase::solve_z:
      return solve_z(first, lines, unit / bundles());
  }
}

void Zone::rate_line(int j, int k) {
  const long begin = at(0, j, k);
  const long stride[3] = {1, row_, plane_};
  for (long p = begin; p < begin + size_[0]; ++p) {
    double rate = 0;
    for (int d = 0; d < 3; ++d) {
      const Stencil& s = stencils_[d];
      rate += s.before * u_[p - stride[d]] + s.here * u_[p] + s.after * u_[p + stride[d]];
    }
    change_[p] = dt_ * rate;
  }
}

void Zone::solve_y(int first, int lines, int k) {
  solvers_[1].solve(&change_[at(first, 0, k)], row_, lines);
}

void Zone::solve_z(int first, int lines, int j) {
  solvers_[2].solve(&change_[at(first, j, 0)], plane_, lines);
  for (int k = 0; k < size_[2]; ++k) {
    const long begin = at(first, j, k);
    for (long p = begin; p < begin + lines; ++p) u_[p] += change_[p];
  }
}

Triple Zone::position(int i, int j, int k) const {
  const int index[3] = {i, j, k};
  Triple x{};
  for (int d = 0; d < 3; ++d) x[d] = (first_[d] + index[d] + 1) * spacing_[d];
  return x;
}

void Zone::set_initial(int k) {
  for (int j = 0; j < size_[1]; ++j)
    for (int i = 0; i < size_[0]; ++i) u_[at(i, j, k)] = exact_solution(position(i, j, k), 0);
}

void Zone::receive_face(Side side, const Zone& neighbour) {
  const int last_x = neighbour.size_[0] - 1;
  const int last_y = neighbour.size_[1] - 1;
  for (int k = 0; k < size_[2]; ++k) {
    if (side == Side::west || side == Side::east) {
      const int to = side == Side::west ? -1 : size_[0];
      const int from = side == Side::west ? last_x : 0;
      for (int j = 0; j < size_[1]; ++j) u_[at(to, j, k)] = neighbour.value(from, j, k);
    } else {
      const int to = side == Side::south ? -1 : size_[1];
      const int from = side == Side::south ? last_y : 0;
      for (int i = 0; i < size_[0]; ++i) u_[at(i, to, k)] = neighbour.value(i, from, k);
    }
  }
}

bool Zone::same_bits(const Zone& other) const {
  return u_.size() == other.u_.size() &&
         std::memcmp(u_.data(), other.u_.data(), u_.size() * sizeof(double)) == 0;
}

}  // namespace zones
