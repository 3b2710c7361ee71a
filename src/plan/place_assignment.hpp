// How the threads of a team are spread over OpenMP places: section 2.6.2 of OpenMP 5.1, as a pure
// function.
//
// Invariant: every thread's place lies in that thread's partition, and that partition lies in the
// partition given. Conservation: each place of the answer holds between floor(T/P) and ceil(T/P)
// of the T threads for close, round and spread when T > P, and at most one when T <= P.
#pragma once

#include <cstdint>
#include <span>

namespace xylem::plan {

// round: as close, but that of more threads than places thread i + P shares the place of thread i,
// as LLVM's KMP_AFFINITY has it.
enum class PlaceBinding : std::uint8_t { primary, close, spread, round };

// A range of places, by number.
struct PlacePartition {
  int first = 0;
  int count = 0;
  bool operator==(const PlacePartition&) const = default;
};

struct PlaceAssignment {
  int place = -1;
  PlacePartition partition;  // the place-partition-var of this thread's implicit task
  bool operator==(const PlaceAssignment&) const = default;
};

// Fills out[i] for thread number i of a team of out.size() threads. `partition` is the encountering
// thread's, with count > 0; `parent_place` the place where that thread runs (a place outside the
// partition, or -1, counts as its first). Where the specification leaves a choice (T and P do not
// divide), the larger shares come first: for T > P in the order of the threads, for spread with
// T <= P in the order of the places.
void assign_places(PlaceBinding binding, int parent_place, PlacePartition partition,
                   std::span<PlaceAssignment> out);

}  // namespace xylem::plan
