// Owns: the device threads' beginnings and ends. See device_threads.hpp.
#include "hetero/run/device_threads.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "base/report.hpp"
#include "hetero/run/executors.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"

namespace xylem::hetero {

namespace {

constexpr size_t stack_bytes = size_t{8} << 20;  // OpenCL compiles kernels on it

enum Order : uint32_t { none, run, end };

struct DeviceThread {
  int device = 0;
  bool started = false;  // by the crew's kernel thread
  // From `none` by the crew's kernel thread; back to it by the device's, when it has obeyed:
  // release, which pairs with the acquire in wait_for_device_threads().
  std::atomic<uint32_t> order{none};
};
constinit std::array<DeviceThread, most_devices + 1> threads;
void (*body_of_all)(int device) = nullptr;  // written while all orders are `none`

void obey(DeviceThread& self) {
  self.order.store(none, std::memory_order_release);
  os::futex_wake(&self.order, 1);
}

void be_device_thread(void* raw) {
  auto& self = *static_cast<DeviceThread*>(raw);
  if (const std::span<const int> cpus = cpus_near(self.device); !cpus.empty())
    os::bind_to_cpus(cpus.data(), static_cast<int>(cpus.size()));
  for (;;) {
    // acquire: pairs with the release in give()
    const uint32_t order = self.order.load(std::memory_order_acquire);
    if (order == none) {
      os::futex_wait(&self.order, none);
      continue;
    }
    if (order == run) body_of_all(self.device);
    obey(self);
    if (order == end) return;
  }
}

void give(DeviceThread& thread, Order order) {
  thread.order.store(order, std::memory_order_release);
  os::futex_wake(&thread.order, 1);
}

}  // namespace

void begin_device_threads(void (*body)(int device)) {
  body_of_all = body;
  for (int device = 1; device <= device_count(); ++device) {
    DeviceThread& thread = threads[static_cast<size_t>(device)];
    thread.device = device;
    give(thread, run);
    if (!thread.started &&
        os::start_needed_thread(be_device_thread, &thread, os::all_signals, stack_bytes) != 0)
      base::fatal("no kernel thread can be had for a device");
    thread.started = true;
  }
}

void wait_for_device_threads() {
  for (DeviceThread& thread : threads)
    while (const uint32_t order = thread.order.load(std::memory_order_acquire))
      os::futex_wait(&thread.order, order);
}

void end_device_threads() {
  for (DeviceThread& thread : threads) {
    if (!thread.started) continue;
    give(thread, end);
    thread.started = false;
  }
  wait_for_device_threads();
}

void forget_device_threads_in_child() {
  for (DeviceThread& thread : threads) {
    thread.started = false;
    thread.order.store(none, std::memory_order_relaxed);  // relaxed: the child has one thread
  }
}

}  // namespace xylem::hetero
