// Owns: which source of accesses the engines have: what XYLEM_SOURCE says, and what this machine
// gives.
#pragma once

#include "count/source/source.hpp"
#include "omp/env/settings.hpp"

namespace xylem::omp {

// Starts it, once in a process. Without a name: there is none, and a line has said why.
count::Source start_access_source(const RuntimeSettings& settings);
// A line each about what it saw so far and what that took.
void say_what_source_saw();

}  // namespace xylem::omp
