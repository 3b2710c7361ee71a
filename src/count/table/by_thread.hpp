// Owns: the page histogram and the thread-node table that follow from who of the threads accessed
// which page, once it is said where threads and pages are. Pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "count/table/counts.hpp"

namespace xylem::count {

struct PageHome {
  uint64_t page = 0;  // address / page size
  int node = 0;
};

// `counts` has pages by threads; `node_of` is the node of each thread, those it does not name are
// left out. The result has pages by nodes.
Counts page_histogram(const Counts& counts, std::span<const int> node_of, int nodes);

// `homes` is sorted by page; pages that it does not have are left out. The result has threads by
// nodes.
Counts thread_nodes(const Counts& counts, std::span<const PageHome> homes, int nodes);

}  // namespace xylem::count
