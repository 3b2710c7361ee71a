// Owns: system calls that the libraries beside the runtime make by themselves: libc's functions for
// them may be interposed, or may come back to who asks.
#pragma once

#include <sys/syscall.h>

#include "os/raw_syscall.hpp"

namespace xylem::os {

inline void yield_directly() { raw_syscall(SYS_sched_yield); }

}  // namespace xylem::os
