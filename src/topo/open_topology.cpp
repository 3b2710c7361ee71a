// Owns: opening hwloc's topology. See open_topology.hpp.
#include "topo/open_topology.hpp"

#include <cerrno>
#include <cstring>

#include "os/environment.hpp"
#include "os/files.hpp"

namespace xylem::topo {

namespace {

void set_filters(hwloc_topology_t topology, Devices devices) {
  hwloc_topology_set_io_types_filter(topology, devices == Devices::kept
                                                   ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT
                                                   : HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
}

// Where /sys is not mounted, as where packages are built, hwloc's part for Linux complains on the
// user's terminal and leaves the rest to the others; so it is not asked.
void leave_linux_out_without_sysfs(hwloc_topology_t topology) {
  if (os::exists("/sys/devices/system/cpu/cpu0") || os::exists("/sys/bus/cpu/devices/cpu0")) return;
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
}

// 0, or -1 with errno.
int load_described(hwloc_topology_t topology, const Description& description) {
  const char* text = description.text.data();
  int set = 0;
  if (description.source == Source::real) leave_linux_out_without_sysfs(topology);
  if (description.source == Source::xml) set = hwloc_topology_set_xml(topology, text);
  if (description.source == Source::synthetic) set = hwloc_topology_set_synthetic(topology, text);
  return set == 0 ? hwloc_topology_load(topology) : set;
}

base::Error obstacle(Source source, int error) {
  if (source == Source::real) return {"hwloc cannot read this machine", error};
  if (source == Source::synthetic) return {"not an hwloc synthetic description", EINVAL};
  if (error == ENOENT) return {"no such XML file", ENOENT};
  return {"not an hwloc XML file that can be read", EINVAL};
}

base::Result<Topology> try_to_open(const Description& description, Devices devices,
                                   unsigned long flags) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return base::Error{"hwloc cannot start", ENOMEM};
  Topology topology(made);
  set_filters(made, devices);
  hwloc_topology_set_flags(
      made, flags | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  errno = 0;
  if (load_described(made, description) == 0) return topology;
  return obstacle(description.source, errno);
}

}  // namespace

bool parse_description(std::string_view text, Description& out) {
  constexpr std::string_view kPrefix = "xml:";
  constexpr std::string_view kSuffix = ".xml";
  if (text.empty()) return true;
  out.source = Source::synthetic;
  if (text.substr(0, kPrefix.size()) == kPrefix) {
    out.source = Source::xml;
    text.remove_prefix(kPrefix.size());
  } else if (text.size() >= kSuffix.size() &&
             text.substr(text.size() - kSuffix.size()) == kSuffix) {
    out.source = Source::xml;
  }
  if (text.empty() || text.size() >= out.text.size()) return false;
  std::memcpy(out.text.data(), text.data(), text.size());
  return true;
}

// The plain XML reader inside hwloc is enough for what lstopo writes; other XML needs a plugin.
base::Result<Topology> open_topology(const Description& description, Devices devices,
                                     unsigned long flags) {
  {
    const os::ScopedVariable no_plugins("HWLOC_PLUGINS_PATH=/dev/null");
    base::Result<Topology> made = try_to_open(description, devices, flags);
    if (made.ok() || description.source != Source::xml || made.error().code == ENOENT) return made;
  }
  return try_to_open(description, devices, flags);
}

}  // namespace xylem::topo
