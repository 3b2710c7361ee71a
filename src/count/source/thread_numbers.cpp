// Owns: the table. See thread_numbers.hpp.
#include "count/source/thread_numbers.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "os/thread.hpp"

namespace xylem::count {

namespace {

constexpr std::size_t room = 8192, longest_probe = 64;

// Relaxed all: whoever asks about a kernel thread asks because it sleeps in the kernel, which
// orders its writes before.
struct Entry {
  std::atomic<int> kernel_thread;  // 0: free; never changes again
  std::atomic<int> number;
};
constinit std::array<Entry, room> entries{};

std::size_t place(int kernel_thread, std::size_t probe) {
  return (static_cast<std::size_t>(static_cast<uint32_t>(kernel_thread) * 0x9e3779b1u >> 16) +
          probe) %
         room;
}

}  // namespace

bool record_thread_number(int number) {
  const int self = os::thread_id();
  for (std::size_t probe = 0; probe < longest_probe; ++probe) {
    Entry& entry = entries[place(self, probe)];
    int known = entry.kernel_thread.load(std::memory_order_relaxed);
    const bool is_new = known == 0 && entry.kernel_thread.compare_exchange_strong(
                                          known, self, std::memory_order_relaxed);
    if (!is_new && known != self) continue;
    entry.number.store(number, std::memory_order_relaxed);
    return is_new;
  }
  return false;
}

void say_thread_number(int number) { record_thread_number(number); }

int thread_number_of(int kernel_thread) {
  for (std::size_t probe = 0; probe < longest_probe; ++probe) {
    const Entry& entry = entries[place(kernel_thread, probe)];
    const int known = entry.kernel_thread.load(std::memory_order_relaxed);
    if (known == kernel_thread) return entry.number.load(std::memory_order_relaxed);
    if (known == 0) break;
  }
  return 0;
}

}  // namespace xylem::count
