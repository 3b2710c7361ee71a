// Owns: what the user lets the engines move (XYLEM_ENGINES).
#pragma once

#include <cstdint>

namespace xylem::count {

enum class EnginesAllowed : uint8_t { off, pages, threads, automatic };

}  // namespace xylem::count
