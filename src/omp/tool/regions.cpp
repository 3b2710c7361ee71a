// Owns: parallel regions as a tool is told of them. See regions.hpp.
#include "omp/tool/regions.hpp"

#include "omp/loops/loop.hpp"
#include "omp/team/team_memory.hpp"
#include "omp/tool/synchronization.hpp"
#include "omp/tool/work.hpp"

namespace xylem::omp::tool {

namespace {

// What prepare_told() needs: the record, and who prepares the region besides.
struct Opening {
  RegionRecord& record;
  const Region& region;
};

// Before the members start.
void prepare_told(Team& team, void* raw) {
  const auto& opening = *static_cast<Opening*>(raw);
  team.kind = &told_member_kind;
  team.master.implicit.told = &opening.record.master;
  if (opening.region.prepare) opening.region.prepare(team, opening.region.argument);
}

unsigned wanted_threads(const Member& maker, unsigned wanted) {
  return wanted ? wanted : static_cast<unsigned>(maker.task->icvs->nthreads_var);
}

// The task's region is set: of member 0 before other members start, as they read it.
void begin_implicit_task(const Team& team, Member& member, TaskRecord& task) {
  task.flags = task_flags::implicit | (team.n == 1 ? task_flags::undeferred : 0);
  task.number = member.num;
  ++this_thread().regions;
  raise<Event::implicit_task>(Endpoint::begin, &task.region->data, &task.data,
                              static_cast<unsigned>(team.n), static_cast<unsigned>(member.num),
                              task_flags::implicit);
}

void begin_barrier(Member& member, TaskRecord& task) {
  end_open_work(task);
  begin_barrier_of_region(member, task);
}

void tell_implicit_task_end(const Team& team, Member& member, TaskRecord& task) {
  raise<Event::implicit_task>(Endpoint::end, static_cast<Data*>(nullptr), &task.data,
                              static_cast<unsigned>(team.n), static_cast<unsigned>(member.num),
                              task_flags::implicit);
  --this_thread().regions;
}

RegionRecord& make_record(Call call, TaskRecord& task, int invoker, const WorkRecord& combined) {
  auto& record = *new RegionRecord;
  record.code = call.code;
  record.flags = invoker | region_flags::team;
  record.combined = combined;
  record.master.below = &task;
  record.master.region = &record;  // its members may read it before member 0 begins
  return record;
}

RegionRecord& open_region(Call call, const Region& region, int invoker,
                          const WorkRecord& combined) {
  Member& maker = current_member();
  this_thread();
  TaskRecord& task = record_of(maker);
  RegionRecord& record = make_record(call, task, invoker, combined);
  enter_runtime(task, call);
  raise<Event::parallel_begin>(&task.data, &task.frame, &record.data,
                               wanted_threads(maker, region.wanted), record.flags, call.code);
  Opening opening{record, region};
  Region told = region;
  told.prepare = prepare_told;
  told.argument = &opening;
  omp::parallel_begin(told);
  Member& master = current_member();
  begin_implicit_task(*master.team, master, record.master);
  if (combined.open) begin_work(record.master, combined);
  return record;
}

bool close_region(Call call) {
  Member& master = current_member();
  TaskRecord& task = record_of(master.implicit);
  RegionRecord& region = *task.region;
  TaskRecord& outer = *task.below;
  begin_barrier(master, task);
  join(*master.team, master);  // it may run tasks, which are the implicit task's
  end_implicit_task(*master.team, master, true);
  const bool cancelled = omp::parallel_end();
  raise<Event::parallel_end>(&region.data, &outer.data, region.flags, call.code);
  leave_runtime(outer);
  delete &region;
  return cancelled;
}

bool run_region(Call call, const Region& region, const WorkRecord& combined) {
  RegionRecord& record = open_region(call, region, region_flags::invoked_by_runtime, combined);
  call_task(record.master, region.function, region.data);
  return close_region(call);
}

// Where the caller runs the function, the frame that it left is all that is known.
void begin_region(Call call, const Region& region, const WorkRecord& combined) {
  RegionRecord& record = open_region(call, region, region_flags::invoked_by_program, combined);
  record.master.frame.exit.ptr = call.frame;
  record.master.frame.exit_flags = frame_flags::application | frame_flags::cfa;
}

void combine(Region& region, const LoopRequest& request) {
  region.prepare = prepare_first_loop;
  region.argument = const_cast<LoopRequest*>(&request);
}

}  // namespace

bool parallel(Call call, const Region& region) { return run_region(call, region, {}); }

void parallel_begin(Call call, const Region& region) { begin_region(call, region, {}); }

bool parallel_end(Call call) { return close_region(call); }

bool parallel_loop(Call call, Region region, const LoopRequest& request, const WorkRecord& work) {
  combine(region, request);
  return run_region(call, region, work);
}

void parallel_loop_begin(Call call, Region region, const LoopRequest& request,
                         const WorkRecord& work) {
  combine(region, request);
  begin_region(call, region, work);
}

void be_implicit_task(Team& team, Member& member, TaskRecord& task, bool first) {
  TaskRecord& master = record_of(team.master.implicit);
  member.implicit.told = &task;
  task.below = master.below;
  task.region = master.region;
  begin_implicit_task(team, member, task);
  if (!first) return;
  if (task.region->combined.open) begin_work(task, task.region->combined);
  call_task(task, team.function, team.data);
  begin_barrier(member, task);
}

void end_implicit_task(Team& team, Member& member, bool first) {
  TaskRecord& task = record_of(member.implicit);
  if (first) end_barrier_of_region(member, task);
  tell_implicit_task_end(team, member, task);
}

}  // namespace xylem::omp::tool
