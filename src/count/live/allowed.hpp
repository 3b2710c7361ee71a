// Owns: what the user lets the engines move (XYLEM_ENGINES), by which source (XYLEM_SOURCE), and
// how loops are divided whose iterations have owners (XYLEM_SCHEDULE).
#pragma once

#include <cstdint>

namespace xylem::count {

// count: nothing; what is counted is the policy's (Engines::table).
enum class EnginesAllowed : uint8_t { off, pages, threads, loops, automatic, count };
enum class SourceWanted : uint8_t { automatic, instrument, pmu, fault, idle };
enum class LoopsAllowed : uint8_t { off, block, cyclic, automatic };

}  // namespace xylem::count
