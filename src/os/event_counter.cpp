// Owns: the table of counters. See event_counter.hpp.
#include "os/event_counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "os/raw_syscall.hpp"
#include "os/thread.hpp"

namespace xylem::os {

namespace {

// descriptor + 1; 0: free. relaxed throughout: numbers by themselves
constinit std::array<std::atomic<int>, most_event_counters> table{};
// Forks that this process descends from: handles are index + generation * most_event_counters.
constinit int generation = 0;  // written while there is one thread

void close_descriptor(int descriptor) { raw_syscall(SYS_close, descriptor); }

// A handle; -EMFILE: there is none.
int keep(int descriptor) {
  for (int index = 0; index < most_event_counters; ++index) {
    int free = 0;
    if (table[static_cast<size_t>(index)].compare_exchange_strong(free, descriptor + 1,
                                                                  std::memory_order_relaxed))
      return index + generation * most_event_counters;
  }
  close_descriptor(descriptor);
  return -EMFILE;
}

// Null: it is no handle, or one of before a fork.
std::atomic<int>* entry_of(int handle) {
  if (handle < 0 || handle / most_event_counters != generation) return nullptr;
  return &table[static_cast<size_t>(handle % most_event_counters)];
}

// Not written where it is free: the child of a fork would have the page copied for it.
void close_entry(std::atomic<int>& entry) {
  if (entry.load(std::memory_order_relaxed) == 0) return;
  if (const int kept = entry.exchange(0, std::memory_order_relaxed); kept != 0)
    close_descriptor(kept - 1);
}

}  // namespace

int open_event_counter(const CountedEvent& event, int kernel_thread) {
  perf_event_attr of{};
  of.size = sizeof of;
  of.type = event.type;
  of.config = event.config;
  of.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  of.exclude_kernel = 1;
  of.exclude_hv = 1;
  const long opened = raw_syscall(SYS_perf_event_open, reinterpret_cast<long>(&of), kernel_thread,
                                  -1, -1, PERF_FLAG_FD_CLOEXEC);
  return opened < 0 ? static_cast<int>(opened) : keep(static_cast<int>(opened));
}

int64_t read_event_counter(int handle) {
  struct {
    uint64_t count, enabled_ns, running_ns;
  } now{};
  const std::atomic<int>* entry = entry_of(handle);
  if (!entry) return -1;
  const int descriptor = entry->load(std::memory_order_relaxed) - 1;
  const long bytes = raw_syscall(SYS_read, descriptor, reinterpret_cast<long>(&now),
                                 static_cast<long>(sizeof now));
  if (bytes != sizeof now) return -1;
  if (now.running_ns == 0 || now.running_ns >= now.enabled_ns)
    return static_cast<int64_t>(now.count);
  const double share = static_cast<double>(now.running_ns) / static_cast<double>(now.enabled_ns);
  return static_cast<int64_t>(static_cast<double>(now.count) / share);
}

void close_event_counter(int handle) {
  if (std::atomic<int>* entry = entry_of(handle)) close_entry(*entry);
}

void close_event_counters_in_child() {
  for (std::atomic<int>& entry : table) close_entry(entry);
  ++generation;
}

const char* counter_obstacle(const CountedEvent& event) {
  const int handle = open_event_counter(event, thread_id());
  if (handle < 0)
    return event_obstacle(
        handle, "the processor, or the virtual machine that shows it, does not count this");
  close_event_counter(handle);
  return nullptr;
}

const char* event_obstacle(int error, const char* otherwise) {
  switch (-error) {
    case EACCES:
    case EPERM:
      return "the kernel keeps it from this user: set kernel.perf_event_paranoid to 1 or less, or "
             "give the program the capability CAP_PERFMON";
    case ENOSYS:
      return "the kernel has no perf_event_open, or a filter of system calls hides it";
    case EMFILE:
    case ENFILE:
      return "no descriptor is left: raise the limit of open files";
    default:
      return otherwise;
  }
}

}  // namespace xylem::os
