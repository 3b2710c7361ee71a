// Zone: a box of the mesh with the solution at its points, and one layer of foreign points around
// it: neighbour zones' points as they were at the end of the last step, or the walls (always 0).
//
// A step is Douglas' ADI scheme. With d, what the solution changes by in a step of dt,
//
//     (1 - dt/2 Lx) (1 - dt/2 Ly) (1 - dt/2 Lz) d = dt (Lx + Ly + Lz) u,    u += d,
//
// so a step is four phases, each a set of units that do not depend on each other: a unit is a grid
// line or a few that lie beside each other. All phases together are serial in this order; the units
// of a phase may be done in any order by any thread, and the result has the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "common/placement.hpp"
#include "equation.hpp"
#include "line_solver.hpp"

namespace zones {

enum class Phase { rate, solve_x, solve_y, solve_z };
constexpr Phase phases[] = {Phase::rate, Phase::solve_x, Phase::solve_y, Phase::solve_z};

enum class Side { west, east, south, north };
constexpr Side sides[] = {Side::west, Side::east, Side::south, Side::north};

// Zeros in pages of their own that nobody has touched: see common::untouched().
template <class T>
struct Untouched {
  using value_type = T;
  T* allocate(std::size_t count) { return static_cast<T*>(common::untouched(count * sizeof(T))); }
  void deallocate(T* values, std::size_t count) {
    common::free_untouched(values, count * sizeof(T));
  }
  // What is made from nothing is zero already.
  template <class... From>
  void construct(T* value, From&&... from) {
    if constexpr (sizeof...(From) > 0) ::new (value) T(std::forward<From>(from)...);
  }
  bool operator==(const Untouched&) const = default;
};
using Values = std::vector<double, Untouched<double>>;

class Zone {
 public:
  // `first`: the place of the zone's first point in the mesh; `size`: its points in x, y, z.
  Zone(std::array<int, 3> first, std::array<int, 3> size, const Triple& spacing, double dt);

  int units(Phase phase) const;
  void work(Phase phase, int unit);

  // The values that a unit reads or writes: visit(first, count) for each stretch of neighbours.
  template <class Visit>
  void for_each_stretch(Phase phase, int unit, Visit visit) const;
  // All values, of each array by itself.
  std::array<std::span<const double>, 2> arrays() const { return {u_, change_}; }

  // The initial values of plane k; also the first touch of its memory.
  int planes() const { return size_[2]; }
  void set_initial(int k);

  // Copies the neighbour's nearest points into the foreign layer on this side.
  void receive_face(Side side, const Zone& neighbour);

  long points() const { return static_cast<long>(size_[0]) * size_[1] * size_[2]; }
  // The solution at a point of the zone, counted from 0.
  double value(int i, int j, int k) const { return u_[at(i, j, k)]; }
  Triple position(int i, int j, int k) const;
  const std::array<int, 3>& size() const { return size_; }

  // Are all values the same, bit for bit?
  bool same_bits(const Zone& other) const;

 private:
  static constexpr int bundle = 8;  // lines solved together: a cache line of doubles

  long at(int i, int j, int k) const { return i + 1 + row_ * (j + 1) + plane_ * (k + 1); }
  int bundles() const { return (size_[0] + bundle - 1) / bundle; }
  // Of a unit of bundles: its first line in x, and how many lie beside each other.
  int first_line(int unit) const { return unit % bundles() * bundle; }
  int lines_from(int first) const { return std::min(bundle, size_[0] - first); }
  void rate_line(int j, int k);
  void solve_y(int first, int lines, int k);
  void solve_z(int first, int lines, int j);

  std::array<int, 3> first_;
  std::array<int, 3> size_;
  Triple spacing_;
  double dt_;
  long row_;    // distance in memory of neighbours in y
  long plane_;  // of neighbours in z
  std::array<Stencil, 3> stencils_;
  std::array<LineSolver, 3> solvers_;
  Values u_;       // the solution, foreign layer included
  Values change_;  // d; of the foreign layer: unused
};

template <class Visit>
void Zone::for_each_stretch(Phase phase, int unit, Visit visit) const {
  if (phase == Phase::rate || phase == Phase::solve_x) {
    const long line = at(0, unit % size_[1], unit / size_[1]);
    visit(&change_[line], size_[0]);
    if (phase == Phase::rate)
      for (const long beside : {0L, -row_, row_, -plane_, plane_})
        visit(&u_[line + beside], size_[0]);
    return;
  }
  const int first = first_line(unit), other = unit / bundles();
  const bool in_y = phase == Phase::solve_y;
  for (int i = 0; i < size_[in_y ? 1 : 2]; ++i) {
    const long row = in_y ? at(first, i, other) : at(first, other, i);
    visit(&change_[row], lines_from(first));
    if (!in_y) visit(&u_[row], lines_from(first));
  }
}

}  // namespace zones
