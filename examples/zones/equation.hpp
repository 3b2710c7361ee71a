// The equation that is solved, with its exact solution: what a substance does that a steady wind
// carries and that spreads by diffusion, in a unit cube whose walls absorb it,
//
//     du/dt + a . grad u = k laplace u,    u = 0 on the walls.
//
// With u = exp(a.x / 2k) v the wind goes away, so that a product of sines solves it exactly.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace zones {

using Triple = std::array<double, 3>;

constexpr double diffusivity = 0.1;            // k
constexpr Triple velocity = {0.2, 0.15, 0.1};  // a
constexpr double end_time = 0.02;

inline double exact_solution(const Triple& x, double time) {
  double product = 1;
  double decay = 0;
  for (int d = 0; d < 3; ++d) {
    const double pi = std::numbers::pi;
    product *= std::exp(velocity[d] * x[d] / (2 * diffusivity)) * std::sin(pi * x[d]);
    decay += velocity[d] * velocity[d] / (4 * diffusivity) + diffusivity * pi * pi;
  }
  return product * std::exp(-decay * time);
}

// The equation in one direction, discretised by central differences:
// (L u)_i = before u_{i-1} + here u_i + after u_{i+1}.
struct Stencil {
  double before;
  double here;
  double after;
};

inline Stencil stencil_of(int direction, double spacing) {
  const double spread = diffusivity / (spacing * spacing);
  const double carry = velocity[direction] / (2 * spacing);
  return {spread + carry, -2 * spread, spread - carry};
}

}  // namespace zones
