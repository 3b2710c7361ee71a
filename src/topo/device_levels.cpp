// Owns: finding devices in hwloc's tree. See device_levels.hpp.
#include "topo/device_levels.hpp"

#include <algorithm>

#include "topo/open_topology.hpp"

namespace xylem::topo {

namespace {

// The device and what it hangs on have no PUs of their own; null: it is not there.
hwloc_const_cpuset_t pus_near(hwloc_topology_t topology, const char* address) {
  const hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, address);
  return device ? hwloc_get_non_io_ancestor_obj(topology, device)->cpuset : nullptr;
}

// PUs are numbered along the tree: what holds the first and the last one holds those between.
int lowest_level_of(const Machine& machine, hwloc_const_cpuset_t near) {
  int first = -1, last = -1;
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    if (hwloc_bitmap_isset(near, static_cast<unsigned>(machine.pu_os_index(pu))) == 0) continue;
    if (first < 0) first = pu;
    last = pu;
  }
  return first < 0 ? 0 : machine.common_level(first, last);
}

}  // namespace

std::vector<int> levels_of_devices(const Machine& machine, std::string_view description,
                                   std::span<const char* const> addresses) {
  std::vector<int> levels(addresses.size(), 0);
  Description parsed;
  const bool any = std::any_of(addresses.begin(), addresses.end(),
                               [](const char* address) { return *address != 0; });
  if (!any || !parse_description(description, parsed)) return levels;
  const base::Result<Topology> opened = open_topology(parsed, Devices::kept);
  if (!opened.ok()) return levels;
  for (std::size_t device = 0; device < addresses.size(); ++device)
    if (hwloc_const_cpuset_t near = pus_near(opened.value().get(), addresses[device]))
      levels[device] = lowest_level_of(machine, near);
  return levels;
}

}  // namespace xylem::topo
