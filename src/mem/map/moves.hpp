// Owns: finding and moving pages in batches, in the kernel or in the records of synthetic machines.
// What memory.hpp promises is built on it.
#pragma once

#include <cstddef>

#include "mem/map/layout.hpp"
#include "mem/map/memory.hpp"

namespace xylem::mem {

// nodes[i], of at most pages_a_batch pages: as locate() says. 0, or a negative errno: then each is
// that.
int find_pages(const Pages& pages, int* nodes);

// Moves what it can of at most pages_a_batch pages; wanted[i] -1: it stays. `moved` grows by the
// pages whose node changed, `stuck` by those that are there and did not come to where they belong.
// 0, or a negative errno where the kernel refuses.
struct Moved {
  size_t moved = 0;
  size_t stuck = 0;
};
int move_pages(const Pages& pages, const int* wanted, Moved& counts);

// moved_pages and moving_ns.
Statistics move_statistics();

}  // namespace xylem::mem
