// Owns: the blocks of 5 by 5 that the systems of BT and SSOR consist of: what
// the fluxes of the flow at a point derive to by the components there.
//
// Written from the benchmarks' published description (RNR-94-007, section 3).
// Blocks are a thread's own: accesses of them are not counted.
#pragma once

#include <cstddef>

#include "nas/adi.hpp"

namespace nas::adi {

struct Block {
  double at[equations][equations];
};

// What the derivatives follow from.
struct Point {
  double u[equations], inverse, kinetic, square;
};

Point point_of(const Grid& grid, std::ptrdiff_t p);

// Of the flux along the direction of component `c`.
void derive_flux(const Point& point, int c, Block& flux);
// Of friction and heat along it.
void derive_friction(const Point& point, int c, Block& friction);

// Of a direction: what multiplies the derivatives in the three blocks of a row.
struct Factors {
  double flux, friction, diffusion;
};

Factors factors_of(const Grid& grid, int direction);

}  // namespace nas::adi
