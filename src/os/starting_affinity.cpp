// See starting_affinity.hpp.
#include "os/starting_affinity.hpp"

#include <sys/syscall.h>

#include "os/raw_syscall.hpp"
#include "os/thread.hpp"

namespace xylem::os {

namespace {

// Written while the process has one thread. kept.bytes below 0: the kernel refused.
constinit AffinityMask kept;

}  // namespace

__attribute__((no_sanitize("address", "thread"))) void keep_starting_affinity() {
  if (kept.bytes == 0)
    kept.bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof kept.words,
                             reinterpret_cast<long>(kept.words));
}

bool starting_affinity(CpuSet& out) {
  out.clear();
  for (int cpu = 0; cpu < kept.bytes * 8; ++cpu)
    if (kept.has(cpu)) out.add(cpu);
  return !out.empty();
}

}  // namespace xylem::os
