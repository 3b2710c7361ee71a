// Owns: KMP_AFFINITY and KMP_HW_SUBSET: what they say, and what that is on a machine.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "omp/env/places.hpp"

namespace xylem::topo {
class Machine;
}

namespace xylem::omp {

// KMP_AFFINITY as it is written: [modifier,...]type[,permute][,offset].
struct KmpAffinity {
  enum class Type { none, compact, scatter, balanced, listed };
  Type type = Type::none;
  PlaceUnit unit = PlaceUnit::cores;  // granularity
  int permute = 0;                    // how many inner levels count before the outer ones
  int offset = 0;                     // the place of the first thread
  PlaceList listed;                   // proclist, by the kernel's numbers
  bool verbose = false;
  bool reset = false;  // after an outermost region its thread may run anywhere again
};
base::Result<KmpAffinity> parse_kmp_affinity(std::string_view text);

// The places of threads 0, 1, ..., in logical PUs: one for each PU, so several may be equal. Not
// for none.
PlaceList places_of(const KmpAffinity& affinity, const topo::Machine& machine);

// The PUs that are left of the machine by KMP_HW_SUBSET, such as 2s,4c@2,1t: of each level the
// first so many, or those from @ on, in each object of the level around. Logical PUs, ascending.
base::Result<std::vector<int>> parse_hw_subset(std::string_view text, const topo::Machine& machine);

}  // namespace xylem::omp
