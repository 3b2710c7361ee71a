// Owns: arrays whose dimensions are divided among parts, in blocks or in turn, and where their
// pages go by it (paper 001, section 4.1: DISTRIBUTE and REDISTRIBUTE).
//
// The unit is the page, and nothing in the array moves: a page that several parts have elements in
// goes where most of its bytes belong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xylem::mem {

enum class DimensionKind : uint8_t { whole, block, cyclic };

// extent, chunk >= 1. Blocks differ by at most one index, the longer ones come first, as those of
// schedule(static). cyclic: chunks of `chunk` indices in turn.
struct Dimension {
  uint64_t extent = 1;
  DimensionKind kind = DimensionKind::whole;
  uint64_t chunk = 1;
};

struct Distribution {
  static constexpr int most_dimensions = 7;       // as Fortran's arrays had
  std::size_t element_bytes = 1;                  // >= 1
  int count = 0;                                  // dimensions
  std::array<Dimension, most_dimensions> dims{};  // from that whose neighbours lie side by side
  int parts = 1;                                  // >= 1

  std::size_t bytes() const;
};

// How many parts each dimension is divided in. Their product is `parts`, or 1 if no dimension is
// divided: factors that are as equal as can be, the largest for the last dimension.
std::array<int, Distribution::most_dimensions> grid_of(const Distribution& distribution);

// The part of each page of an array that begins at the address.
std::vector<int> parts_of_pages(uintptr_t start, const Distribution& distribution,
                                std::size_t page_bytes);

// Pages of part i go to nodes[i]; those that are there move only with `move`. `moved`, may be null,
// counts those. 0 or a negative errno, as place_range() and move_each(). Where the pages of one
// part lie in many runs, no policies are made, as each is a mapping in the kernel's books: the
// pages are made at once and move.
int distribute(void* start, const Distribution& distribution, std::span<const int> nodes, bool move,
               std::size_t* moved);

}  // namespace xylem::mem
