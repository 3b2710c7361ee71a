// Makes a Machine from hwloc: the real machine, an XML file or a synthetic description.
//
// Invariant: the hwloc topology does not outlive the call; devices are not looked for.
#include <cerrno>
#include <memory>

#include "os/cgroup.hpp"
#include "topo/builder.hpp"
#include "topo/kept_machine.hpp"
#include "topo/machine.hpp"
#include "topo/open_topology.hpp"

namespace xylem::topo {

namespace {

// Keeps only the allowed PUs; a failure leaves the machine whole.
void restrict_to(hwloc_topology_t topology, const os::CpuSet& allowed) {
  hwloc_bitmap_t keep = hwloc_bitmap_alloc();
  if (keep == nullptr) return;
  for (int cpu = allowed.next(-1); cpu >= 0; cpu = allowed.next(cpu)) {
    hwloc_bitmap_set(keep, static_cast<unsigned>(cpu));
  }
  hwloc_topology_restrict(topology, keep, 0);
  hwloc_bitmap_free(keep);
}

base::Result<Machine*> finish(hwloc_topology_t topology, const os::CpuSet* allowed, bool drawn) {
  std::unique_ptr<Machine> machine(new Machine);
  Builder(topology, *machine).build(allowed, drawn);
  if (machine->pu_count() == 0) return base::Error{"the machine has no processing units", EINVAL};
  return machine.release();
}

enum class Keep : std::uint8_t { all_pus, allowed_pus };

base::Result<Machine*> read_by_hwloc(const os::CpuSet& allowed, Keep keep) {
  const unsigned long flags = keep == Keep::all_pus ? HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED : 0;
  const base::Result<Topology> opened = open_topology({}, Devices::left_out, flags);
  if (!opened.ok()) return opened.error();
  hwloc_topology_t topology = opened.value().get();
  if (keep == Keep::all_pus) return finish(topology, &allowed, false);
  restrict_to(topology, allowed);
  return finish(topology, nullptr, false);
}

}  // namespace

base::Result<Machine*> load_machine(std::string_view text, bool restrict_to_allowed) {
  Description description;
  if (!parse_description(text, description)) {
    return base::Error{"a machine's description is empty or too long", EINVAL};
  }
  if (description.source == Source::real) {
    const os::CpuSet allowed = os::read_allowance().cpus;
    return read_by_hwloc(allowed, restrict_to_allowed ? Keep::allowed_pus : Keep::all_pus);
  }
  const base::Result<Topology> opened = open_topology(description, Devices::left_out);
  if (!opened.ok()) return opened.error();
  return finish(opened.value().get(), nullptr, true);
}

base::Result<Machine*> load_this_machine(const os::CpuSet& allowed, const char* cache_folder) {
  const KeptMachine kept(cache_folder, allowed, hwloc_get_api_version());
  if (Machine* machine = kept.read()) return machine;
  base::Result<Machine*> read = read_by_hwloc(allowed, Keep::allowed_pus);
  if (read.ok()) kept.write(*read.value());
  return read;
}

}  // namespace xylem::topo
