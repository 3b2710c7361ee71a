// Owns: whether cache misses of bubbles are counted in this process: XYLEM_MISSES.
#pragma once

#include <optional>

#include "os/event_counter.hpp"
#include "policy/policy.hpp"

namespace xylem::omp {

// What is counted as misses; none: nothing is. Says why not where the user asks for them and they
// cannot be counted.
std::optional<os::CountedEvent> misses_to_count(const policy::Policy& policy);

}  // namespace xylem::omp
