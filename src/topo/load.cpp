// Makes a Machine from hwloc: the real machine, an XML file or a synthetic description.
//
// Owns: every call to hwloc. Invariant: the hwloc topology does not outlive load_machine(); IO
// devices are never looked for, the process's binding is never touched, plugins are not loaded
// unless an XML file needs one.
#include <hwloc.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "os/cgroup.hpp"
#include "os/environment.hpp"
#include "os/files.hpp"
#include "topo/builder.hpp"
#include "topo/kept_machine.hpp"
#include "topo/machine.hpp"

namespace xylem::topo {

namespace {

// Closes the topology at the end of its scope.
class Topology {
 public:
  Topology() { ready_ = hwloc_topology_init(&topology_) == 0; }
  ~Topology() {
    if (ready_) hwloc_topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  bool ready() const { return ready_; }
  hwloc_topology_t get() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
  bool ready_ = false;
};

enum class Source { real, xml, synthetic };

struct Description {
  Source source = Source::real;
  std::array<char, 4096> text{};  // the file's path or the synthetic description
};

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

void set_filters(hwloc_topology_t topology) {
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
}

// Where /sys is not mounted, as where packages are built, hwloc's part for Linux complains on the
// user's terminal and leaves the rest to the others; so it is not asked.
void leave_linux_out_without_sysfs(hwloc_topology_t topology) {
  if (os::exists("/sys/devices/system/cpu/cpu0") || os::exists("/sys/bus/cpu/devices/cpu0")) return;
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
}

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
  const os::ScopedVariable no_plugins("HWLOC_PLUGINS_PATH=/dev/null");
  const Topology topology;
  if (!topology.ready()) return base::Error{"hwloc cannot start", ENOMEM};
  leave_linux_out_without_sysfs(topology.get());
  set_filters(topology.get());
  unsigned long flags = HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
  if (keep == Keep::all_pus) flags |= HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
  hwloc_topology_set_flags(topology.get(), flags);
  if (hwloc_topology_load(topology.get()) != 0) {
    return base::Error{"hwloc cannot read this machine", errno};
  }
  if (keep == Keep::all_pus) return finish(topology.get(), &allowed, false);
  restrict_to(topology.get(), allowed);
  return finish(topology.get(), nullptr, false);
}

base::Result<Machine*> load_drawn(const Description& description) {
  const Topology topology;
  if (!topology.ready()) return base::Error{"hwloc cannot start", ENOMEM};
  set_filters(topology.get());
  hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
  const char* text = description.text.data();
  const bool xml = description.source == Source::xml;
  errno = 0;
  const int set = xml ? hwloc_topology_set_xml(topology.get(), text)
                      : hwloc_topology_set_synthetic(topology.get(), text);
  if (set != 0 || hwloc_topology_load(topology.get()) != 0) {
    if (!xml) return base::Error{"not an hwloc synthetic description", EINVAL};
    if (errno == ENOENT) return base::Error{"no such XML file", ENOENT};
    return base::Error{"not an hwloc XML file that can be read", EINVAL};
  }
  return finish(topology.get(), nullptr, true);
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
  // The plain XML reader inside hwloc is enough for what lstopo writes; other XML needs a plugin.
  {
    const os::ScopedVariable no_plugins("HWLOC_PLUGINS_PATH=/dev/null");
    base::Result<Machine*> made = load_drawn(description);
    if (made.ok() || description.source != Source::xml || made.error().code == ENOENT) return made;
  }
  return load_drawn(description);
}

base::Result<Machine*> load_this_machine(const os::CpuSet& allowed, const char* cache_folder) {
  const KeptMachine kept(cache_folder, allowed, hwloc_get_api_version());
  if (Machine* machine = kept.read()) return machine;
  base::Result<Machine*> read = read_by_hwloc(allowed, Keep::allowed_pus);
  if (read.ok()) kept.write(*read.value());
  return read;
}

}  // namespace xylem::topo
