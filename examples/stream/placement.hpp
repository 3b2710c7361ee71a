// Where pages and threads are, as the kernel says; on a synthetic machine as Xylem's books say.
#pragma once

#include <cstddef>
#include <vector>

namespace stream {

// Nodes that pages can be on.
int node_count();
// The node of the processor that the calling thread runs on.
int current_node();
// The node of each page of the range; negative: nowhere yet.
std::vector<int> nodes_of_pages(const void* start, std::size_t bytes);
// Pages whose node differs; both have the same size.
std::size_t differing(const std::vector<int>& before, const std::vector<int>& after);

std::size_t page_bytes();
// Whole pages that nobody has touched yet; ends the program when there is no memory.
double* untouched(std::size_t count);

}  // namespace stream
