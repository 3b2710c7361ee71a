// Owns: cancellation: what `cancel` marks and what cancellation points see.
#pragma once

#include <cstdint>

namespace xylem::omp {

struct Member;

// The construct that is cancelled.
enum class CancelKind : uint8_t { parallel, loop, sections, taskgroup };

// True if the caller must go to the end of the construct. False when OMP_CANCELLATION is not set.
bool cancel(Member& member, CancelKind kind);
bool cancellation_point(Member& member, CancelKind kind);
// Whether it is cancelled, without a cancellation point's effects.
bool is_cancelled(Member& member, CancelKind kind);

}  // namespace xylem::omp
