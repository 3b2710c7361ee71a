// Communication as a picture: who talks to whom, before and after ranks are placed.
#pragma once

#include <string>

#include "tool/mpi/mapping.hpp"

namespace xylem::tool::mpi {

struct Shown {
  std::string title;
  const Mapping* mapping;
  Measures measures;
};

// An SVG drawing: a matrix for each of `all`, its rows and columns in the order of the places, the
// darker the more bytes (by their logarithm); lines part the machines.
std::string draw_matrices(const Communication& communication, const Cluster& cluster,
                          const std::vector<Shown>& all);

// "1.5 MB", "12 B": powers of 1000.
std::string bytes_text(double bytes);

}  // namespace xylem::tool::mpi
