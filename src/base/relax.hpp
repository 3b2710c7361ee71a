// Owns: what a spin loop does between two turns.
#pragma once

namespace xylem::base {

// A hint to the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace xylem::base
