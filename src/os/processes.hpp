// Other processes, as the kernel shows them below /proc.
//
// Owns: what `xylem top` asks about them. Invariant: nothing here stops, changes or waits for one;
// any of them may be gone at any time, which is -ESRCH.
#pragma once

#include <cstdint>
#include <vector>

namespace xylem::os {

// The numbers of all processes that this one sees, in rising order. 0 or a negative errno.
int list_processes(std::vector<int>& out);

// The user a process belongs to, or a negative errno.
long owner_of(int process);
long own_user();

// The highest descriptor under which the process has memory of this name (SharedMemory::create).
// -ENOENT if it has none, -EACCES if its descriptors are not for us, -ESRCH if it is not there.
int find_shared_memory(int process, const char* name);

struct ProcessState {
  char state = '?';        // as in /proc/PID/stat: 'R', 'S', 'D', 'T' (stopped), 'Z' (ended), ...
  long threads = 0;        // kernel threads
  int64_t started_ns = 0;  // since the machine's boot; with the number it names the process
  int64_t age_ns = 0;
};
int read_process(int process, ProcessState& out);  // 0 or a negative errno

struct ThreadState {
  char state = '?';
  uint64_t sleeps = 0;  // how often it has given its processor up by itself
};
int read_thread(int process, int thread, ThreadState& out);  // 0 or a negative errno

// The number that the process has in its own name space of processes, or a negative errno.
long number_inside(int process);

}  // namespace xylem::os
