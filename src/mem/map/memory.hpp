// Owns: what the front doors call: memory with pages of its own on nodes, and where pages are
// (xylem/memory.h says what each does; paper 000, section 3.2). Results are 0 or a negative errno.
//
// Small blocks on nodes come from heaps (heap.hpp); ranges are moved by range_moves.hpp, and by
// marks for next touch (next_touch.hpp); what is known of ranges is in regions.hpp, what the
// program says of them in ranges.hpp. On a synthetic machine pages have their homes in
// synthetic_pages.hpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mem/map/nodes.hpp"
#include "os/numa.hpp"

namespace xylem::mem {

enum class Placement : uint8_t { process, node, least_loaded, first_touch, interleaved, spread };

struct How {
  Placement placement = Placement::process;
  int node = -1;  // of Placement::node
  std::span<const int>
      part_nodes{};  // of Placement::spread: the node of each block, from the first
  bool huge = false;
  std::size_t alignment = 0;  // 0 or a power of two
  bool strict = false;        // no other node when the wanted ones are full: null instead
};

// What "default" means where the caller wants no placement of its own (XYLEM_MEMORY_POLICY,
// xylem_memory_set_default): Placement::process until somebody sets it. Any thread; not spread.
void set_default_placement(Placement placement, int node);
How default_placement();

// Whole pages of zeros, at least one, known as a region until release_pages(). Null when there is
// no memory. Where the kernel refuses to place them they are ordinary pages, and a note says so.
// With `strict` all pages are there from the beginning, on the nodes that were asked for.
void* map_placed(std::size_t bytes, const How& how);
// Ignored if map_placed() gave no block that begins there.
void release_pages(void* start);
// Bytes of the block that begins there; 0 if map_placed() gave none.
std::size_t mapped_bytes(const void* start);

// Pages that the range has a byte in.
std::size_t pages_in(const void* start, std::size_t bytes);
// nodes[i]: our number of the node of page i, or a negative errno: -ENOENT: nowhere: not touched
// yet, only read so far, or not mapped; on a synthetic machine also: nobody said where.
int locate(const void* start, std::size_t bytes, std::span<int> nodes);
// bytes_by_node[n] grows by the bytes of the range that lie on node n: exactly for up to
// `most_pages` pages, of larger ranges from evenly spaced samples. Returns the bytes that lie
// nowhere yet.
std::size_t add_bytes_by_node(const void* start, std::size_t bytes,
                              std::span<int64_t> bytes_by_node, std::size_t most_pages = 4096);

struct Statistics {
  int64_t moved_pages = 0;
  int64_t moving_ns = 0;
  int64_t mapped_bytes = 0;
};
Statistics statistics();
// Bytes of map_placed() that were asked for on this node.
int64_t placed_bytes(int node);

// Around fork(), by mem/fork_lines.hpp.
void lock_regions();
void unlock_regions(bool in_child);
void lock_synthetic_pages();
void unlock_synthetic_pages(bool in_child);

}  // namespace xylem::mem
