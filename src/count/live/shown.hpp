// Owns: what the engines did, as `xylem top` and the trace have it.
#pragma once

#include <cstdint>

#include "count/engine/arbiter.hpp"

namespace xylem::count {

// From now on `xylem top` shows the engines, whose accesses this source tells. Once in a process.
void show_engines(const char* source);
// By the engines' thread: pages, threads or iterations of loops are to move.
void show_choice(const Choice& choice);
// Threads or iterations go back: an iteration of the program took so long before they moved, and
// since then.
void show_undone(int64_t before_ns, int64_t after_ns);

}  // namespace xylem::count
