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

// Distance from a processor to a node, by the kernel's numbers, as the firmware told it (10: the
// processor's own); -1: not known. Reads sysfs.
int distance_to_node(int cpu, int node);

}  // namespace xylem::os
