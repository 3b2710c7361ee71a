// Owns: how a piece of data is cut into parts (the paper's filters: paper 002, section 3.2.1).
// Pure.
//
// Invariant: the parts of a piece cover each of its elements once, and parts of any two numbers
// differ by at most one in each extent that is cut.
#pragma once

#include "hetero/data/shape.hpp"

namespace xylem::hetero {

struct Part {
  Shape shape;
  Layout layout;
};

// Cuts by dimension: a box into x * y * z parts, numbered with x fastest. Rows of a matrix are cut
// by `y` alone, tiles by `x` and `y`. CSR is cut by rows, into `y` parts; the layout must then be
// main memory's, as the row starts are read.
struct Cut {
  int x = 1;
  int y = 1;
  int z = 1;

  int parts() const { return x * y * z; }
};

// Whether the piece can be cut so: each extent has at least one element for each part.
bool can_cut(const Shape& shape, const Cut& cut);

// Part `number` of the piece, from 0; only if can_cut().
Part part_of(const Shape& shape, const Layout& layout, const Cut& cut, int number);

// Elements [first, first + count) of `extent` that part `number` of `parts` has: the first ones
// have one more where the extent does not divide.
struct Run {
  size_t first;
  size_t count;
};
Run run_of(size_t extent, int parts, int number);

}  // namespace xylem::hetero
