// Owns: reading xylem_memory_how. See placement.hpp.
#include "abi/xylem/placement.hpp"

#include <cerrno>

#include "omp/team/memory_owners.hpp"
#include "omp/team/team.hpp"

namespace xylem::abi {

namespace {

constexpr int most_parts = 1 << 20;  // as many as a team can have members

bool can_be(const xylem_memory_how& asked) {
  if (asked.placement < xylem_place_default || asked.placement > xylem_place_spread) return false;
  if ((asked.alignment & (asked.alignment - 1)) != 0) return false;
  if (asked.placement == xylem_place_node) return asked.node >= 0 && asked.node < mem::node_count();
  return asked.placement != xylem_place_spread || (asked.parts >= 0 && asked.parts <= most_parts);
}

mem::Placement placement_of(int placement) {
  switch (placement) {
    case xylem_place_node:
      return mem::Placement::node;
    case xylem_place_least_loaded:
      return mem::Placement::least_loaded;
    case xylem_place_first_touch:
      return mem::Placement::first_touch;
    case xylem_place_interleaved:
      return mem::Placement::interleaved;
    case xylem_place_spread:
      return mem::Placement::spread;
    default:
      return mem::Placement::process;
  }
}

}  // namespace

int read_placement(const xylem_memory_how* asked, Placed& placed) {
  omp::Member& caller = omp::current_member();
  placed.how = mem::default_placement();
  if (!asked) return 0;
  if (!can_be(*asked)) return EINVAL;
  if (asked->placement != xylem_place_default) {
    placed.how.placement = placement_of(asked->placement);
    placed.how.node = asked->node;
  }
  if (asked->placement == xylem_place_spread)
    placed.part_nodes = omp::nodes_of_members(caller, asked->parts);
  placed.how.part_nodes = placed.part_nodes;
  placed.how.huge = asked->huge != 0;
  placed.how.alignment = asked->alignment;
  return 0;
}

}  // namespace xylem::abi
