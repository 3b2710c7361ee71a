// Invariants that the presets dev, check, asan and tsan compile in, and release leaves out.
//
// Owns: XYLEM_ASSERT and kChecked. Invariant: a condition has no side effect the program needs; in
// a release build it is compiled (so it cannot rot) and never run.
#pragma once

#include "base/report.hpp"

namespace xylem::base {

#ifdef XYLEM_CHECK
inline constexpr bool kChecked = true;  // guards check() walks: if constexpr (base::kChecked) ...
#else
inline constexpr bool kChecked = false;
#endif

}  // namespace xylem::base

#define XYLEM_STRINGIFY_(x) #x
#define XYLEM_STRINGIFY(x) XYLEM_STRINGIFY_(x)

// Dies with file, line, the condition and the message (a literal) when the condition is false.
#define XYLEM_ASSERT(condition, message)                                                    \
  do {                                                                                      \
    if constexpr (::xylem::base::kChecked) {                                                \
      if (!(condition)) [[unlikely]]                                                        \
        ::xylem::base::fatal(                                                               \
            "%s", __FILE__ ":" XYLEM_STRINGIFY(__LINE__) ": " message " (" #condition ")"); \
    }                                                                                       \
  } while (false)
