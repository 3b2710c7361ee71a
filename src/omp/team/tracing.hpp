// Owns: what this layer tells the trace. Sites call these by trace::emit<>, never by themselves:
// they run only while tracing.
#pragma once

#include "omp/team/team.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::omp {

// sched::NameUser: the member that a fiber runs.
sched::ThreadName thread_name(const sched::Fiber& fiber);

namespace traced {

// The team is there, its member 0 goes on in the maker's place; the maker's fiber still is its own.
[[gnu::cold]] void team_made(Team& team, const Member& maker);
// All members have ended but member 0, which does so now.
[[gnu::cold]] void team_over(const Team& team, const sched::Fiber& maker);
[[gnu::cold]] void region_begun(const Team& team, const sched::Guest& guest);

[[gnu::cold]] void barrier_in(const Member& member);
[[gnu::cold]] void barrier_out(const Member& member);
[[gnu::cold]] void task_begin(const Member& member);
[[gnu::cold]] void task_end(const Member& member);

// By the process that forks, if the caller is a thread that the runtime knows.
[[gnu::cold]] void forked();

}  // namespace traced
}  // namespace xylem::omp
