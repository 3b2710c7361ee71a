// Owns: what this layer tells the trace. Sites call these by trace::emit<>, never by themselves:
// they run only while tracing.
#pragma once

#include "omp/team/team.hpp"

namespace xylem::omp {

// sched::NameUser: the member that a thread is.
sched::ThreadName thread_name(const sched::Thread& thread);

namespace traced {

[[gnu::cold]] void barrier_in(const Member& member);
[[gnu::cold]] void barrier_out(const Member& member);
[[gnu::cold]] void task_begin(const Member& member);
[[gnu::cold]] void task_end(const Member& member);

}  // namespace traced
}  // namespace xylem::omp
