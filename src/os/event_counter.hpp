// Owns: the kernel's counters of events of kernel threads (perf_event_open), such as cache misses
// where the processor counts them.
//
// A counter counts what its thread does in user mode. It is known by a number, its handle. There
// are at most `most_event_counters`, and none in a child of fork(), which closes them: handles of
// before the fork mean nothing there.
#pragma once

#include <cstdint>

namespace xylem::os {

inline constexpr int most_event_counters = 1024;

// An event as the kernel knows it. Of itself: misses of the last level of cache.
struct CountedEvent {
  uint32_t type = 0;    // PERF_TYPE_HARDWARE
  uint64_t config = 3;  // PERF_COUNT_HW_CACHE_MISSES
};

// Begins to count a thread of the process. A handle, or a negative errno: -ENOENT, -EOPNOTSUPP,
// -ENODEV (the machine does not count this), -EACCES, -EPERM (perf_event_paranoid), -ENOSYS,
// -ESRCH (no such thread), -EMFILE ...
int open_event_counter(const CountedEvent& event, int kernel_thread);
// Events since it was opened; where the processor's counters take turns, as many as that makes of
// all the time. -1: it cannot be read. By any thread.
int64_t read_event_counter(int handle);
void close_event_counter(int handle);
// In the child of a fork: the counters are the parent's threads'.
void close_event_counters_in_child();

// Why the event cannot be counted here, as the second half of a sentence; null: it can. Opens a
// counter for a moment.
const char* counter_obstacle(const CountedEvent& event);

// Why the kernel refuses an event, by the negative errno, as the second half of a sentence.
// `otherwise`: what it means where neither rights nor the kernel are the reason.
const char* event_obstacle(int error, const char* otherwise);

}  // namespace xylem::os
