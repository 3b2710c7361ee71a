// What the process's control groups leave it: processors, CPU time, process numbers.
//
// Owns: reading cgroup v1 and v2, whose place comes from /proc/self/cgroup and whose mount points
// are those usual, or come from /proc/self/mountinfo. Invariant: a limit is the least over the
// process's own group and all groups above it that can be seen; what cannot be read limits nothing.
#pragma once

#include <string_view>

#include "os/cpus.hpp"

namespace xylem::os {

struct CgroupLimits {
  double cpu_quota = 0;      // processors' worth of time (1.5: one and a half); 0 if not limited
  long long pids_max = -1;   // processes and threads together; -1 if not limited
  long long pids_used = -1;  // of the group that has the least pids_max; -1 if unknown
  bool has_cpuset = false;   // whether cpus says anything
  CpuSet cpus;
};

// Reads the limits below `root` ("" is the real machine).
CgroupLimits read_cgroup_limits(std::string_view root = "");

// What the process may use, all sources together.
struct Allowance {
  CpuSet cpus;           // affinity mask, which is within the cgroup's cpuset; never empty
  double cpu_quota = 0;  // as in CgroupLimits
};

// Reads the affinity mask and the cgroups' quotas below `root`. A machine that tells nothing gives
// processor 0 and no quota.
Allowance read_allowance(std::string_view root = "");

}  // namespace xylem::os
