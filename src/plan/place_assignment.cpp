// OpenMP's distribution of threads over places; see the header for the laws it keeps.
#include "plan/place_assignment.hpp"

#include <algorithm>

namespace xylem::plan {
namespace {

// Part `index` of `total` things cut into `parts` consecutive parts, the larger ones first.
PlacePartition nth_part(int total, int parts, int index) {
  int size = total / parts;
  int larger = total % parts;
  int first = index * size + std::min(index, larger);
  return {first, size + (index < larger ? 1 : 0)};
}

// The part that holds position `position` in the cut that nth_part makes.
int part_of(int total, int parts, int position) {
  int size = total / parts;
  int larger = total % parts;
  int in_larger = larger * (size + 1);
  if (position < in_larger) return position / (size + 1);
  return larger + (position - in_larger) / size;
}

// T > P: consecutive threads share a place, starting at the parent's and going round.
void pack(int parent, PlacePartition partition, bool narrow, std::span<PlaceAssignment> out) {
  const int threads = static_cast<int>(out.size());
  for (int thread = 0; thread < threads; ++thread) {
    int steps = part_of(threads, partition.count, thread);
    int place = partition.first + (parent + steps) % partition.count;
    out[static_cast<std::size_t>(thread)] = {place, narrow ? PlacePartition{place, 1} : partition};
  }
}

// Neighbours in neighbouring places, round and round.
void assign_round(int parent, PlacePartition partition, std::span<PlaceAssignment> out) {
  int place = parent;
  for (PlaceAssignment& assignment : out) {
    assignment = {partition.first + place, partition};
    place = (place + 1) % partition.count;
  }
}

void assign_spread(int parent, PlacePartition partition, std::span<PlaceAssignment> out) {
  const int threads = static_cast<int>(out.size());
  if (threads > partition.count) return pack(parent, partition, true, out);
  int start = part_of(partition.count, threads, parent);
  for (int thread = 0; thread < threads; ++thread) {
    PlacePartition part = nth_part(partition.count, threads, (start + thread) % threads);
    part.first += partition.first;
    out[static_cast<std::size_t>(thread)] = {thread == 0 ? partition.first + parent : part.first,
                                             part};
  }
}

}  // namespace

void assign_places(PlaceBinding binding, int parent_place, PlacePartition partition,
                   std::span<PlaceAssignment> out) {
  if (out.empty() || partition.count <= 0) return;
  int parent = parent_place - partition.first;  // counted from the partition's start
  if (parent < 0 || parent >= partition.count) parent = 0;
  switch (binding) {
    case PlaceBinding::primary:
      std::fill(out.begin(), out.end(), PlaceAssignment{partition.first + parent, partition});
      return;
    case PlaceBinding::close:
      if (static_cast<int>(out.size()) > partition.count)
        return pack(parent, partition, false, out);
      return assign_round(parent, partition, out);
    case PlaceBinding::round:
      return assign_round(parent, partition, out);
    case PlaceBinding::spread:
      return assign_spread(parent, partition, out);
  }
}

}  // namespace xylem::plan
