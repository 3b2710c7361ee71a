// Owns: whole ranges that are placed and moved, page by page or to one node (paper 000,
// section 3.2). Marks for next touch inside what moves end: a marked page is not in its place.
#pragma once

#include <cstddef>
#include <span>

#include "mem/map/memory.hpp"

namespace xylem::mem {

// Sets the policy of all pages of the range; with `move` of those that are there too.
int place_range(void* start, std::size_t bytes, const How& how, bool move);

// `moved`, here and below, may be null; it counts pages whose node changed, also of a move that
// ended early.
int move_range(void* start, std::size_t bytes, int node, std::size_t* moved);

// Page i of the range that begins at `start` goes to node nodes[i]; -1: it stays. Policies of
// ranges stay as they are: what is touched for the first time later goes where it would have gone.
int move_each(void* start, std::span<const int> nodes, std::size_t* moved);

}  // namespace xylem::mem
