// Owns: what a tool is told of initial tasks: those of leagues (the teams construct), and of target
// regions, which run on the host. Each function does what the one of its name in omp/ does, and
// tells.
#pragma once

#include "omp/env/door.hpp"
#include "omp/tool/records.hpp"

namespace xylem::omp::tool {

void run_league(Call call, Member& member, void (*function)(void*), void* data, unsigned teams,
                unsigned thread_limit, Door door = Door::gnu);
// The league begins with `first` and ends with the answer false.
bool next_team(Call call, Member& member, unsigned teams, unsigned thread_limit, bool first);

// Around a target region: the initial task of its team of one.
void begin_target_task(Member& initial, const Member& encountering);
void end_target_task(Member& initial);

}  // namespace xylem::omp::tool
