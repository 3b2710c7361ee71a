// Where pages and threads are, as the kernel says; on a synthetic machine as Xylem's books say.
#pragma once

#include <cstddef>
#include <vector>

namespace common {

// Nodes that pages can be on.
int node_count();
// Where the calling thread runs: the kernel's number of the processor, and its node. On Xylem also
// the PU whose worker runs it, as the kernel may run a worker on another processor of its node;
// else -1.
struct Place {
  int processor = 0, node = 0, pu = -1;
};
Place current_place();
// The node of each page of the range; negative: nowhere yet.
std::vector<int> nodes_of_pages(const void* start, std::size_t bytes);

std::size_t page_bytes();
// Zeros in whole pages that nobody has touched yet: the first thread that writes to a page brings
// it to its node. Throws std::bad_alloc.
void* untouched(std::size_t bytes);
void free_untouched(void* start, std::size_t bytes);

}  // namespace common
