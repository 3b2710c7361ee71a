// Owns: the records of this layer, and the numbers of codelets in them. See tracing.hpp.
#include "hetero/tracing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/spin_lock.hpp"
#include "sched/sched.hpp"

namespace xylem::hetero::traced {

namespace {

using trace::event;
using trace::make_record;

// Codelets that have run while tracing; a codelet's number is its place.
struct Numbers {
  base::SpinLock lock{{49, "Numbers::lock"}};
  std::vector<const xylem_codelet*> codelets XYLEM_GUARDED_BY(lock);
};
constinit Numbers numbers;

template <trace::Kind kind, typename... Values>
void put(Values... values) {
  const sched::Thread& self = sched::this_thread();
  sched::trace_source(self).put(make_record<kind>(self.pu, values...));
}

template <trace::Kind kind>
void put_name(size_t number, const char* name) {
  std::array<uint64_t, 2> letters{};
  if (name) std::memcpy(letters.data(), name, std::min(std::strlen(name), sizeof letters));
  sched::trace_source(sched::this_thread()).put(make_record<kind>(number, letters[0], letters[1]));
}

// Bit k: device k was named. By whoever takes or gives back memory there. Relaxed: who sets the bit
// names the device.
constinit std::atomic<uint32_t> named_devices{0};

size_t find_or_add(const xylem_codelet& codelet, bool& fresh) {
  base::Locked locked(numbers.lock);
  size_t number = 0;
  while (number < numbers.codelets.size() && numbers.codelets[number] != &codelet) ++number;
  fresh = number == numbers.codelets.size();
  if (fresh) numbers.codelets.push_back(&codelet);
  return number;
}

size_t number_of(const xylem_codelet& codelet) {
  bool fresh = false;
  const size_t number = find_or_add(codelet, fresh);
  if (fresh) put_name<event("codelet_named")>(number, codelet.name);
  return number;
}

}  // namespace

void codelet_begin(int executor, const xylem_codelet& codelet) {
  put<event("codelet_begin")>(executor, number_of(codelet));
}
void codelet_end(int executor) { put<event("codelet_end")>(executor); }
void kernel_begin(int device, const xylem_codelet& codelet) {
  put<event("kernel_begin")>(device, number_of(codelet));
}
void kernel_end(int device) { put<event("kernel_end")>(device); }
void copy_begin(int from, int to, size_t bytes) { put<event("copy_begin")>(from, to, bytes); }
void copy_end(int from, int to) { put<event("copy_end")>(from, to); }

void device_memory(int device, const char* name, int level, size_t used, size_t capacity) {
  const uint32_t bit = 1u << device;
  if ((named_devices.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) {
    put_name<event("device_named")>(static_cast<size_t>(device), name);
    sched::trace_source(sched::this_thread())
        .put(make_record<event("device_attached")>(device, level));
  }
  put<event("device_memory")>(device, used, capacity);
}

}  // namespace xylem::hetero::traced
