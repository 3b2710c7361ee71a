// Owns: cancellation: what `cancel` marks and what cancellation points see.
#pragma once

namespace xylem::omp {

struct Member;

// GCC's encoding of the construct that is cancelled.
enum class CancelKind : int { parallel = 1, loop = 2, sections = 4, taskgroup = 8 };

// True if the caller must go to the end of the construct. False when OMP_CANCELLATION is not set.
bool cancel(Member& member, CancelKind kind);
bool cancellation_point(Member& member, CancelKind kind);

}  // namespace xylem::omp
