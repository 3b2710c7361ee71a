// Owns: how long each device has had a kernel under way, and what `xylem top` shows of devices.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::hetero {

// One device's. A kernel is under way from when it is handed over until its executor knows that it
// has ended.
class DeviceLoad {
 public:
  // By the device's executor, which is one thread at a time.
  void begin_kernel(int64_t now_ns);
  void end_kernel(int64_t now_ns);

  // By any thread: for how long at least one kernel was under way until now.
  int64_t busy_ns(int64_t now_ns) const;
  // How many have ended.
  uint64_t kernels() const { return ended_.load(std::memory_order_relaxed); }

 private:
  int under_way_ = 0;
  // While none is under way: busy time before, b. Else b less the time at which the first one was
  // handed over, which is below 0. By the executor. Relaxed: one word says all.
  std::atomic<int64_t> busy_{0};
  std::atomic<uint64_t> ended_{0};  // likewise
};

DeviceLoad& load_of(int device);

// From now on the process's page has the devices. Once they are known.
void show_devices();

}  // namespace xylem::hetero
