// Owns: asking the processor about its time counter. See ticks.hpp.
#include "os/ticks.hpp"

#include <cpuid.h>

namespace xylem::os {

// Intel's and AMD's manuals: CPUID leaf 80000007h, EDX bit 8, "invariant TSC".
bool ticks_are_steady() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

}  // namespace xylem::os
