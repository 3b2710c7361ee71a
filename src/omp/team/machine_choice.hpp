// Owns: which machine the runtime works on: the one that the user drew, what the process may use of
// this one, or the part of that which KMP_HW_SUBSET names.
#pragma once

#include "omp/env/settings.hpp"
#include "os/cgroup.hpp"
#include "os/cpus.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {

struct ChosenMachine {
  const topo::Machine* machine;  // stays for ever
  bool narrowed;                 // to less than `allowed`, because the user wants it
};

// What the process may use, at the start. A libgomp that a library brought has bound the first
// thread to one place by then, if the user wants threads bound: the mask from before counts.
os::Allowance allowance_of_process();

// At the start, once. Ends the process if there is no machine at all.
ChosenMachine choose_machine(const RuntimeSettings& mine, const os::CpuSet& allowed);

}  // namespace xylem::omp
