// Owns: what follows from pages by threads. See by_thread.hpp.
#include "count/table/by_thread.hpp"

#include <cstddef>

namespace xylem::count {

Counts page_histogram(const Counts& counts, std::span<const int> node_of, int nodes) {
  Counts made(Rows::pages, nodes, counts.page_bytes());
  for (const Cell& cell : counts.sorted()) {
    const auto thread = static_cast<std::size_t>(cell.node);
    if (thread < node_of.size()) made.add(cell.row, node_of[thread], cell.reads, cell.writes);
  }
  return made;
}

Counts thread_nodes(const Counts& counts, std::span<const PageHome> homes, int nodes) {
  Counts made(Rows::threads, nodes);
  std::size_t at = 0;
  for (const Cell& cell : counts.sorted()) {
    while (at < homes.size() && homes[at].page < cell.row) ++at;
    if (at < homes.size() && homes[at].page == cell.row)
      made.add(static_cast<uint64_t>(cell.node), homes[at].node, cell.reads, cell.writes);
  }
  return made;
}

}  // namespace xylem::count
