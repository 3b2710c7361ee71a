// Owns: executors. See executors.hpp.
#include "hetero/run/executors.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <utility>

#include "base/spin_lock.hpp"
#include "hetero/run/device_load.hpp"
#include "plan/levels.hpp"

namespace xylem::hetero {

namespace {

struct Everything {
  Memories memories;
  std::vector<Executor> executors;
  std::vector<std::vector<int>> neighbours;                  // by executor
  std::vector<std::array<char, 192>> names;                  // likewise
  std::array<std::vector<int>, most_devices + 1> cpus_near;  // by device
};
constinit Everything* everything = nullptr;  // written once, before the first task

// Levels are numbered breadth-first: the higher the number of the level that two PUs share, the
// nearer they are. Devices are behind all processors.
std::vector<int> others_of(const topo::Machine& machine, int executor, int processors, int count) {
  std::vector<int> others;
  for (int step = 1; step < count; ++step) others.push_back((executor + step) % count);
  const auto shared = [&](int other) {
    if (executor >= processors || other >= processors) return -1;
    return plan::common_level(machine.levels(), machine.pu_level(executor),
                              machine.pu_level(other));
  };
  std::stable_sort(others.begin(), others.end(),
                   [&](int one, int other) { return shared(one) > shared(other); });
  return others;
}

std::array<char, 192> name_of(int executor, int processors) {
  std::array<char, 192> name;
  const int device = executor - processors + 1;
  if (device < 1)
    std::snprintf(name.data(), name.size(), "processor %d", executor);
  else
    std::snprintf(name.data(), name.size(), "device %d (%s)", device, device_name(device));
  return name;
}

// --- where devices stand -------------------------------------------------------------------------

std::vector<int> cpus_of(const topo::Machine& machine, int level) {
  const topo::Level& part = machine.levels()[static_cast<size_t>(level)];
  std::vector<int> cpus;
  for (int pu = part.first_pu; pu < part.first_pu + part.pu_count; ++pu)
    cpus.push_back(machine.pu_os_index(pu));
  return cpus;
}

void attach_devices(Everything& made, const topo::Machine& machine, const char* description) {
  const std::vector<int> levels = device_levels(machine, description);
  for (int device = 1; device <= device_count(); ++device) {
    const int level = levels[static_cast<size_t>(device - 1)];
    made.memories.node(device).level = level;
    if (level != 0 && !machine.synthetic())
      made.cpus_near[static_cast<size_t>(device)] = cpus_of(machine, level);
  }
}

// --- what cannot run where -----------------------------------------------------------------------

// Devices on which a codelet's kernel cannot run.
struct Unfit {
  base::SpinLock lock{{48, "Unfit::lock"}};
  std::vector<std::pair<const void*, uint32_t>> kinds XYLEM_GUARDED_BY(lock);
  std::atomic<bool> any{false};  // relaxed: a task that comes too early is dealt again
};
constinit Unfit unfit;

bool is_unfit(const void* variant, int device) {
  if (!unfit.any.load(std::memory_order_relaxed)) return false;  // relaxed: see Unfit::any
  base::Locked locked(unfit.lock);
  for (const auto& [known, kinds] : unfit.kinds)
    if (known == variant) return (kinds >> device & 1) != 0;
  return false;
}

void record_unfit_variant(const void* variant, int device) XYLEM_REQUIRES(unfit.lock) {
  for (auto& [known, kinds] : unfit.kinds)
    if (known == variant) return void(kinds |= 1u << device);
  unfit.kinds.push_back({variant, 1u << device});
}

bool has_room(int device, size_t bytes, size_t largest) {
  const MemoryNode& node = everything->memories.node(device);
  return bytes <= node.capacity && largest <= node.largest;
}

}  // namespace

void make_executors(const topo::Machine& machine, const char* description,
                    const DeviceSettings& devices, NearCopies near_copies) {
  auto* made = new Everything;
  find_devices(made->memories, devices);
  attach_devices(*made, machine, description);
  add_near_nodes(made->memories, near_copies);
  const int processors = std::min(machine.pu_count(), most_executors - most_devices);
  const int count = processors + device_count();
  for (int pu = 0; pu < processors; ++pu)
    made->executors.push_back({.kind = 0, .node = near_node_of(pu)});
  for (int device = 1; device <= device_count(); ++device)
    made->executors.push_back({.kind = device, .node = device});
  for (int executor = 0; executor < count; ++executor) {
    made->neighbours.push_back(others_of(machine, executor, processors, count));
    made->names.push_back(name_of(executor, processors));
  }
  everything = made;
  if (device_count() > 0) show_devices();
}

std::span<const Executor> executors() { return everything->executors; }
std::span<const int> neighbours(int executor) {
  return everything->neighbours[static_cast<size_t>(executor)];
}
const char* executor_name(int executor) {
  return everything->names[static_cast<size_t>(executor)].data();
}
Memories& memories() { return everything->memories; }
std::span<const int> cpus_near(int device) {
  return everything->cpus_near[static_cast<size_t>(device)];
}

uint32_t usable_kinds() {
  uint32_t kinds = 1;
  for (int device = 1; device <= device_count(); ++device)
    if (!memories().gone(device)) kinds |= 1u << device;
  return kinds;
}

FitKinds fit_kinds(const xylem_codelet& codelet, size_t bytes, size_t largest) {
  const uint32_t processors = codelet.cpu ? 1 : 0;
  FitKinds fit{processors, processors};
  if (!has_device_variant(codelet)) return fit;
  const uint32_t usable = usable_kinds();
  for (int device = 1; device <= device_count(); ++device) {
    const void* variant = device_variant(device, codelet);
    if (!variant || (usable >> device & 1) == 0 || is_unfit(variant, device)) continue;
    fit.any_size |= 1u << device;
    if (has_room(device, bytes, largest)) fit.kinds |= 1u << device;
  }
  return fit;
}

void record_unfit(const xylem_codelet& codelet, int device) {
  base::Locked locked(unfit.lock);
  unfit.any.store(true, std::memory_order_relaxed);  // relaxed: see Unfit::any
  record_unfit_variant(device_variant(device, codelet), device);
}

void record_faulty(const xylem_codelet& codelet, int device) {
  const void* variant = device_variant(device, codelet);
  base::Locked locked(unfit.lock);
  unfit.any.store(true, std::memory_order_relaxed);  // relaxed: see Unfit::any
  for (int each = 1; each <= device_count(); ++each) record_unfit_variant(variant, each);
}

void forget_devices_in_child() {
  for (int device = 1; device <= device_count(); ++device) memories().record_gone(device, true);
}

}  // namespace xylem::hetero
