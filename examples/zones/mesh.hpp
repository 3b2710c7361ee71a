// Mesh: the unit cube cut into 4 x 4 zones in x and y, whose widths are as 3, 5, 9 and 15: so the
// largest zone has 25 times the points of the smallest, as in NAS' BT-MZ.
#pragma once

#include <vector>

#include "zone.hpp"

namespace zones {

// How large the mesh is; `scale` multiplies the widths 3, 5, 9, 15.
struct ProblemClass {
  char name;
  int scale;
  int points_z;
  int steps;
};

// nullptr: there is no class of that name.
const ProblemClass* find_class(char name);

// The error against the exact solution at a time.
struct Error {
  double largest = 0;
  double rms = 0;
  double of_change = 0;  // largest, as a share of what the solution changed by since the start
};

class Mesh {
 public:
  static constexpr int across = 4;  // zones in x, and in y

  Mesh(const ProblemClass& problem, double dt);

  int count() const { return across * across; }
  Zone& zone(int number) { return zones_[number]; }
  const Zone& zone(int number) const { return zones_[number]; }
  long points() const;

  // Fetches the faces of all neighbours of this zone.
  void receive_faces(int number);

  Error error(double time) const;
  bool same_bits(const Mesh& other) const;

 private:
  std::vector<Zone> zones_;  // x varies fastest
};

}  // namespace zones
