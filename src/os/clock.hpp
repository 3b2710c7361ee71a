// Owns: reading time. Units: nanoseconds.
#pragma once

#include <cstdint>

namespace xylem::os {

// Monotonic time since an arbitrary start. Costs tens of nanoseconds (vDSO).
int64_t now_ns();

// CPU time that the kernel thread `tid` of this process has used; -1 when it is gone.
int64_t thread_cpu_ns(int tid);

// What a kernel thread is about. `delayed`: the kernel makes it wait for a device, for memory, or
// for the lock of its address space; `sleeps`: it waits for another thread, or a time.
enum class Activity { wants_processor, delayed, sleeps };

// Of the kernel thread `tid` of this process. Reads /proc; where that cannot be read, or the thread
// is gone: sleeps.
Activity activity_of(int tid);

// How long the kernel thread `tid` of this process has waited for a processor, and how often it got
// one. False if it is gone, or the kernel does not count that. Reads /proc.
struct ProcessorWaits {
  int64_t waited_ns = 0, arrivals = 0;
};
bool processor_waits(int tid, ProcessorWaits& out);

// Gives the rest of the kernel thread's slice away. Never changes errno.
void yield_to_kernel();

}  // namespace xylem::os
