// Owns: what mem/ is told of the thread that calls it (mem/map/caller.hpp).
#pragma once

namespace xylem::sched {

// Once, when the runtime starts.
void answer_memory_callers();

}  // namespace xylem::sched
