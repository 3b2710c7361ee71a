// Owns: the records of this layer. See tracing.hpp.
#include "omp/team/tracing.hpp"

namespace xylem::omp {

using trace::event;
using trace::make_record;

sched::ThreadName thread_name(const sched::Fiber& fiber) {
  const auto& member = *static_cast<const Member*>(fiber.user);
  return {member.team->trace_id, member.num};
}

namespace traced {

void team_made(Team& team, const Member& maker) {
  sched::Worker& worker = *maker.fiber->worker;
  const sched::ThreadName parent = sched::name_of(*maker.fiber);
  team.trace_id = trace::next_bubble();
  worker.trace.put(make_record<event("bubble_made")>(team.trace_id, parent.bubble, parent.member,
                                                     team.n, team.level));
  worker.trace.put(make_record<event("started")>(team.trace_id, 0, worker.pu, 0));
}

void team_over(const Team& team, const sched::Fiber& maker) {
  sched::Worker& worker = *maker.worker;
  worker.trace.put(make_record<event("ended")>(team.trace_id, 0, worker.pu));
  if (team.opened_region)
    worker.trace.put(
        make_record<event("region_end")>(team.trace_id, maker.guest->number, worker.pu));
  worker.trace.put(make_record<event("bubble_ended")>(team.trace_id));
}

void region_begun(const Team& team, const sched::Guest& guest) {
  sched::Worker& worker = *guest.fiber.worker;
  worker.trace.put(make_record<event("region_begin")>(team.trace_id, guest.number, worker.pu));
}

namespace {

template <trace::Kind kind>
void put(const Member& member) {
  sched::Worker& worker = *member.fiber->worker;
  worker.trace.put(make_record<kind>(member.team->trace_id, member.num, worker.pu));
}

}  // namespace

void barrier_in(const Member& member) { put<event("barrier_in")>(member); }
void barrier_out(const Member& member) { put<event("barrier_out")>(member); }
void task_begin(const Member& member) { put<event("task_begin")>(member); }
void task_end(const Member& member) { put<event("task_end")>(member); }

void forked() {
  if (const sched::Fiber* self = sched::current_fiber())
    sched::traced::of_worker(*self->worker, event("fork"));
}

}  // namespace traced
}  // namespace xylem::omp
