// Owns: the processors that the process's first thread could use before the constructors of any
// library ran, any of which may bind it.
#pragma once

#include "os/cpus.hpp"

namespace xylem::os {

// The first call counts. It may come before this library, libc and a sanitizer are set up.
void keep_starting_affinity();

// False if nobody kept it, or the kernel's masks are too large for it (8192 processors).
bool starting_affinity(CpuSet& out);

}  // namespace xylem::os
