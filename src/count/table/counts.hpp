// Owns: Counts: how many accesses each row made to, or got from, each memory node. Rows are pages
// (the page histogram of paper 001, section 3.1: a page, and the nodes whose threads access it) or
// threads (the thread-node table of paper 003, section 2: a thread, and the nodes whose memory it
// accesses); or pages once more, with the threads that access them in place of nodes: from that
// both others follow (by_thread.hpp). Data only: nothing here knows where the counts come from.
//
// Invariant: a pair of row and node has at most one cell; a cell has at least one access; no count
// is above most_accesses (adding stops there).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xylem::count {

inline constexpr uint64_t most_accesses = (uint64_t{1} << 62) - 1;
inline constexpr int most_nodes = 1024;

enum class Rows : uint8_t { pages, threads, pages_by_threads };

struct Cell {
  uint64_t row = 0;  // an address / page size, or a thread's number
  int node = 0;      // or, of pages_by_threads, a thread
  uint64_t reads = 0;
  uint64_t writes = 0;

  uint64_t accesses() const { return reads + writes; }
  bool operator==(const Cell&) const = default;
};

// Sparse: room is taken for pairs of row and node that were accessed. Not for several threads at
// once: each fills one of its own, and one of them merges all.
class Counts {
 public:
  // 1 <= nodes <= most_nodes. `page_bytes` is what row numbers of pages count; 1 for threads.
  explicit Counts(Rows rows = Rows::pages, int nodes = 1, std::size_t page_bytes = 1);

  Rows rows() const { return rows_; }
  int nodes() const { return nodes_; }
  std::size_t page_bytes() const { return page_bytes_; }

  // 0 <= node < nodes(). Adding no access makes no cell.
  void add(uint64_t row, int node, uint64_t reads, uint64_t writes);
  // Adds all cells of the other. False, and nothing is added, unless both count the same: the same
  // kind of rows, nodes and size of pages.
  bool merge(const Counts& other);
  // Halves all counts `halvings` times, rounding down: what was seen long ago weighs less, and
  // cells without an access go.
  void decay(int halvings);
  void clear();

  bool empty() const { return used_ == 0; }
  std::size_t size() const { return used_; }  // cells
  // The cell's counts; zeros where there is none.
  Cell at(uint64_t row, int node) const;
  // Of all cells; stops at UINT64_MAX.
  uint64_t accesses() const;
  // All cells, by row and then by node.
  std::vector<Cell> sorted() const;

 private:
  Cell& place_of(uint64_t row, int node);
  void grow();

  Rows rows_;
  int nodes_;
  std::size_t page_bytes_;
  std::vector<Cell> places_;  // a hash table: a power of two or empty, at most half of it is used
  std::size_t used_ = 0;
};

// The share of accesses, 0 to 1, that would have to be counted elsewhere to make one into the
// other, each taken as a whole: 0 for equal patterns, however many accesses were seen. 1 where only
// one of them has an access, or they count different things.
double difference(const Counts& one, const Counts& other);

}  // namespace xylem::count
