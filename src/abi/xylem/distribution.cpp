// Owns: xylem_distribute and xylem_redistribute of include/xylem/memory.h.
#include "mem/move/distribution.hpp"

#include <cerrno>

#include "base/export.hpp"
#include "mem/map/memory.hpp"
#include "omp/team/memory_owners.hpp"
#include "omp/team/team.hpp"
#include "xylem/memory.h"

namespace {

using xylem::mem::Dimension;
using xylem::mem::DimensionKind;
using xylem::mem::Distribution;

constexpr int most_parts = 1 << 20;  // as many as a team can have members

bool read_dimension(const xylem_dimension& asked, Dimension& dimension) {
  dimension.extent = asked.extent;
  dimension.chunk = 1;
  switch (asked.kind) {
    case xylem_dimension_whole:
      dimension.kind = DimensionKind::whole;
      return asked.extent > 0;
    case xylem_dimension_block:
      dimension.kind = DimensionKind::block;
      return asked.extent > 0;
    case xylem_dimension_cyclic:
      dimension.kind = DimensionKind::cyclic;
      return asked.extent > 0;
    case xylem_dimension_block_cyclic:
      dimension.kind = DimensionKind::cyclic;
      dimension.chunk = asked.chunk;
      return asked.extent > 0 && asked.chunk > 0;
    default:
      return false;
  }
}

// False: the array cannot be.
bool read_distribution(const void* array, size_t element_size, const xylem_dimension* dims,
                       int count, int parts, Distribution& distribution) {
  if (!array || !dims || element_size == 0 || count < 1 || count > Distribution::most_dimensions)
    return false;
  if (parts < 0 || parts > most_parts) return false;
  distribution.element_bytes = element_size;
  distribution.count = count;
  uintptr_t bytes = element_size, end = 0;
  for (int d = 0; d < count; ++d) {
    Dimension& dimension = distribution.dims[static_cast<size_t>(d)];
    if (!read_dimension(dims[d], dimension)) return false;
    if (__builtin_mul_overflow(bytes, dimension.extent, &bytes)) return false;
  }
  return !__builtin_add_overflow(reinterpret_cast<uintptr_t>(array), bytes, &end);
}

int place(void* array, size_t element_size, const xylem_dimension* dims, int count, int parts,
          bool move, size_t* moved) {
  if (moved) *moved = 0;
  Distribution distribution;
  if (!read_distribution(array, element_size, dims, count, parts, distribution)) return EINVAL;
  const xylem::mem::NodeList nodes =
      xylem::omp::nodes_of_members(xylem::omp::current_member(), parts);
  if (nodes.empty()) return EINVAL;
  distribution.parts = static_cast<int>(nodes.size());
  return -xylem::mem::distribute(array, distribution, nodes, move, moved);
}

}  // namespace

extern "C" {

XYLEM_EXPORT int xylem_distribute(void* array, size_t element_size, const xylem_dimension* dims,
                                  int count, int parts) {
  return place(array, element_size, dims, count, parts, false, nullptr);
}

XYLEM_EXPORT int xylem_redistribute(void* array, size_t element_size, const xylem_dimension* dims,
                                    int count, int parts, size_t* moved) {
  return place(array, element_size, dims, count, parts, true, moved);
}

}  // extern "C"
