// OpenMP places: sets of processors, and the parsers of OMP_PLACES and GOMP_CPU_AFFINITY.
//
// Invariant of a PlaceList: each place is a non-empty ascending list without repeats. Before
// resolve_places() the numbers are those that the user wrote (OS indices); in globals().places they
// are logical PUs of the machine.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace xylem::topo {
class Machine;
}

namespace xylem::omp {

class PlaceList {
 public:
  int size() const { return static_cast<int>(starts_.size()); }
  std::span<const int> place(int index) const;

  // Sorts and drops repeats; an empty set is not added.
  void add(std::span<const int> processors);
  // Removes the last place equal to this set; false if there is none.
  bool remove(std::span<const int> processors);
  // All numbers of all places together.
  std::size_t total() const { return processors_.size(); }

 private:
  std::vector<int> processors_;      // of all places, one after the other
  std::vector<std::size_t> starts_;  // of each place in processors_
};

// What an abstract name stands for, in logical PUs of the machine.
enum class PlaceUnit { threads, cores, ll_caches, sockets, numa_domains };
PlaceList places_of_machine(const topo::Machine& machine, PlaceUnit unit, int at_most);

inline constexpr int most_places = 65535;
inline constexpr int most_processors = 65536;  // OS indices a user may write are below

// The code of an error about a text that is well written but does not fit the machine or itself.
inline constexpr int well_written = 1;

// The value of OMP_PLACES. An explicit list is returned in OS indices, `abstract` set to false; an
// abstract name in logical PUs. Errors name what is wrong with the text. A number that the kernel's
// affinity masks have no bit for is wrong, as it is for libgomp; on a synthetic machine only one
// that is not below `most_processors`.
struct ParsedPlaces {
  PlaceList places;
  bool abstract = false;
};
base::Result<ParsedPlaces> parse_places(std::string_view text, const topo::Machine& machine);
base::Result<PlaceList> parse_explicit_places(std::string_view text, int limit = most_processors);

// The value of GOMP_CPU_AFFINITY, one place a processor, in OS indices.
base::Result<PlaceList> parse_cpu_affinity(std::string_view text);

// Translates OS indices to the machine's logical PUs. Processors that the process may not use are
// dropped, and places that become empty with them.
PlaceList resolve_places(const PlaceList& by_os_index, const topo::Machine& machine);

// Replaces `os_indices` by those of the logical PUs, ascending.
void os_indices_of(const topo::Machine& machine, std::span<const int> pus,
                   std::vector<int>& os_indices);

}  // namespace xylem::omp
