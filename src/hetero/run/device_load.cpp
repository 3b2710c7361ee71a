// Owns: devices as the process's page has them. See device_load.hpp.
#include "hetero/run/device_load.hpp"

#include <algorithm>
#include <cstring>

#include "hetero/run/executors.hpp"
#include "sched/sched.hpp"

namespace xylem::hetero {

namespace {

constinit DeviceLoad loads[most_devices + 1];  // by device

sched::LiveDevice row_of(int device, int64_t now_ns) {
  const MemoryNode& node = memories().node(device);
  sched::LiveDevice row{};
  std::strncpy(row.name, node.name, sizeof row.name - 1);
  row.gone = memories().gone(device) ? 1 : 0;
  row.capacity = static_cast<int64_t>(node.capacity);
  // relaxed: see MemoryNode::Sums
  row.used = static_cast<int64_t>(node.sums.used.load(std::memory_order_relaxed));
  row.bytes_in = node.sums.bytes_in.load(std::memory_order_relaxed);
  row.bytes_out = node.sums.bytes_out.load(std::memory_order_relaxed);
  row.busy_ns = loads[device].busy_ns(now_ns);
  row.kernels = loads[device].kernels();
  return row;
}

int fill_rows(sched::LiveDevice* rows, int room, int64_t now_ns) {
  const int count = std::min(device_count(), room);
  for (int device = 1; device <= count; ++device) rows[device - 1] = row_of(device, now_ns);
  return count;
}

}  // namespace

void DeviceLoad::begin_kernel(int64_t now_ns) {
  if (++under_way_ > 1) return;
  busy_.store(busy_.load(std::memory_order_relaxed) - now_ns, std::memory_order_relaxed);
}

void DeviceLoad::end_kernel(int64_t now_ns) {
  ended_.store(ended_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (--under_way_ > 0) return;
  busy_.store(busy_.load(std::memory_order_relaxed) + now_ns, std::memory_order_relaxed);
}

int64_t DeviceLoad::busy_ns(int64_t now_ns) const {
  const int64_t busy = busy_.load(std::memory_order_relaxed);
  return busy < 0 ? busy + now_ns : busy;
}

DeviceLoad& load_of(int device) { return loads[device]; }

void show_devices() { sched::show_live_devices(fill_rows); }

}  // namespace xylem::hetero
