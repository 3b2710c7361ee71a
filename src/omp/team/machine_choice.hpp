// Owns: which machine the runtime works on: the one that the user drew, this one, or the part of it
// that KMP_HW_SUBSET names.
#pragma once

#include "omp/env/settings.hpp"
#include "os/cpus.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {

struct ChosenMachine {
  const topo::Machine* machine;  // stays for ever
  bool narrowed;                 // to less than `allowed`, because the user wants it
};

// At the start, once. Ends the process if there is no machine at all.
ChosenMachine choose_machine(const RuntimeSettings& mine, const os::CpuSet& allowed);

}  // namespace xylem::omp
