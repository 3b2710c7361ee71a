// Owns: which node each page of a range is to be on: a placement made into numbers. Shared by the
// files that map, bind and move.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mem/map/memory.hpp"

namespace xylem::mem {

// Pages that the kernel is asked about at once: lists of so many lie on stacks.
inline constexpr size_t pages_a_batch = 256;

// A range's pages by number: address / page size.
struct Pages {
  uintptr_t first = 0;
  size_t count = 0;

  void* address(size_t index = 0) const;
  size_t bytes() const;
};
Pages pages_of(const void* start, size_t bytes);

// Pages [first, first + count) of a range that have one policy.
struct Block {
  size_t first = 0;
  size_t count = 0;
  os::PagePolicy policy = os::PagePolicy::process;
  NodeList nodes;  // that the policy takes, by our numbers

  // Where page `page` (by number) belongs; -1: wherever it is.
  int node_of(uintptr_t page) const;
};

// A placement whose nodes are settled.
struct Layout {
  Placement placement = Placement::process;
  NodeList nodes;     // of node and least_loaded one; of spread by block
  bool huge = false;  // a huge page lies whole on one node: only where they are wanted

  size_t blocks() const { return placement == Placement::spread ? nodes.size() : 1; }
  // Of a range of `pages` pages; blocks may be empty where it has few.
  Block block(size_t index, size_t pages) const;
};
// 0; -EINVAL for a node that is none, -ENOENT where no node has memory.
int settle(const How& how, Layout& layout);

// Sets the policies of pages that are not there yet. The first error; what the kernel did not
// refuse is in force. On a synthetic machine the records of synthetic machines then have the homes
// of these pages.
int apply_policies(const Pages& pages, const Layout& layout);

}  // namespace xylem::mem
