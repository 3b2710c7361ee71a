// Owns: what the user lets the engines move (XYLEM_ENGINES), and by which source (XYLEM_SOURCE).
#pragma once

#include <cstdint>

namespace xylem::count {

enum class EnginesAllowed : uint8_t { off, pages, threads, automatic };
enum class SourceWanted : uint8_t { automatic, instrument, pmu, fault };

}  // namespace xylem::count
