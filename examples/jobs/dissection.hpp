// Nested dissection: an order of elimination that keeps the factors sparse and makes many parts of
// them independent. A part of the graph is cut in two by a separator, which is eliminated after
// both; the halves are cut again. The separators come from breadth-first levels, as in George's
// automatic nested dissection.
#pragma once

#include <vector>

#include "matrix.hpp"

namespace jobs {

// Rows in the order of elimination, cut into blocks: block b is order[begin[b]] to
// order[begin[b+1]-1]. Rows of a block belong to one separator or to one part too small to cut.
struct Dissection {
  std::vector<int> order;
  std::vector<int> begin;
};

Dissection dissect(const Graph& graph, int largest_block);

}  // namespace jobs
