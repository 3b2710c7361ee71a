// Owns: the records of this layer. See tracing.hpp.
#include "omp/team/tracing.hpp"

namespace xylem::omp {

using trace::event;
using trace::make_record;

sched::ThreadName thread_name(const sched::Thread& thread) {
  const auto& member = *static_cast<const Member*>(thread.user);
  return {member.team->trace_id, member.num};
}

namespace traced {

namespace {

template <trace::Kind kind>
void put(const Member& member) {
  const sched::Thread& self = *member.thread;
  sched::trace_source(self).put(make_record<kind>(member.team->trace_id, member.num, self.pu));
}

}  // namespace

void barrier_in(const Member& member) { put<event("barrier_in")>(member); }
void barrier_out(const Member& member) { put<event("barrier_out")>(member); }
void task_begin(const Member& member) { put<event("task_begin")>(member); }
void task_end(const Member& member) { put<event("task_end")>(member); }

}  // namespace traced
}  // namespace xylem::omp
