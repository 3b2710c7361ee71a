// Owns: asking where the calling kernel thread runs at this moment, and how far that is from
// memory.
#pragma once

namespace xylem::os {

// The kernel's numbers; -1: it does not say. A hint: the thread may move at once.
struct RunningOn {
  int cpu = -1;
  int node = -1;
};
RunningOn running_on();

// Where a kernel thread runs, or ran last, from what the kernel writes into its memory
// (NativeThread::processor): the kernel's number; negative: it does not say. The thread must not
// end meanwhile.
inline int processor_at(const int* written) {
  return written ? __atomic_load_n(written, __ATOMIC_RELAXED) : -1;  // relaxed: a number
}

// Distance from a processor to a node, by the kernel's numbers, as the firmware told it (10: the
// processor's own); -1: not known. Reads sysfs.
int distance_to_node(int cpu, int node);

}  // namespace xylem::os
