// Owns: tasks that the program fills in as a tool is told of them. See submitted_tasks.hpp.
#include "omp/tool/submitted_tasks.hpp"

#include "omp/team/team.hpp"
#include "omp/tool/work.hpp"

namespace xylem::omp::tool {

namespace {

int flags_of(const Member& member, const SubmittedTask& task, bool undeferred) {
  const bool final = member.task->final;
  return task_flags::explicit_task | (task.has(AtReturn::parts) ? task_flags::untied : 0) |
         (undeferred || final || member.team->n == 1 ? task_flags::undeferred : 0) |
         (task.final || final ? task_flags::final : 0);
}

// From here on the task has a record of its own.
TaskRecord& meet(Call call, Member& member, SubmittedTask& task, DependList dependences,
                 bool undeferred) {
  TaskRecord& record =
      make_task_record(call, member, dependences, flags_of(member, task, undeferred));
  task.told = &record;
  task.untold = false;
  if (task.event) share_with_event(task, *task.event);
  return record;
}

// What the program put into the block goes while the tool knows the task.
void destroy_data(SubmittedTask& task) {
  if (!task.has(AtReturn::destructors)) return;
  task.at_return &= static_cast<uint8_t>(~AtReturn::destructors);
  task.destroy(task.data);
}

void call_all_parts(void* raw) {
  auto& task = *static_cast<SubmittedTask*>(raw);
  call_parts(task);
  destroy_data(task);
}

// Of a deferred task, tied ones with destructors among them.
[[gnu::noinline]] void call_part(void* raw) {
  auto& task = *static_cast<SubmittedTask*>(raw);
  record_of(task).frame.exit.ptr = __builtin_frame_address(0);
  task.function(task.data);
  if (!record_of(task).goes_on) destroy_data(task);
}

}  // namespace

void submit_task(Call call, Member& member, SubmittedTask& task, DependList dependences,
                 DependList told) {
  const Inside inside(record_of(member), call);
  const Depending depending(meet(call, member, task, told, false));
  omp::submit_task(member, task, dependences);
}

void submit_task_of_loop(Member& member, SubmittedTask& task, const TaskRange& range,
                         bool undeferred) {
  const WorkRecord& loop = record_of(member).work;
  TaskRecord& record = meet({loop.code, nullptr}, member, task, {}, undeferred);
  record.iterations = iterations_of(range, loop.step);
  if (undeferred)
    omp::run_undeferred(member, task);
  else
    omp::submit_task(member, task, {});
}

namespace {

// Of code that was compiled with frame pointers, as far as that can be told: a register with a
// number that could be one.
bool is_frame_pointer(const void* caller, const Call& call) {
  const auto pointer = reinterpret_cast<uintptr_t>(caller);
  const auto frame = reinterpret_cast<uintptr_t>(call.frame);
  constexpr uintptr_t likely_bytes = 64 << 10, alignment = 16;
  return pointer % alignment == 0 && pointer >= frame && pointer - frame < likely_bytes;
}

}  // namespace

// The compiled code calls the task's function: its frame is all that is known of where it begins.
void begin_undeferred(Call call, void* caller, Member& member, SubmittedTask& task) {
  TaskRecord& creator = record_of(member);
  creator.frame.enter.ptr = call.frame;
  creator.frame.enter_flags = frame_flags::application | frame_flags::cfa;
  TaskRecord& record = meet(call, member, task, {}, true);
  omp::begin_undeferred(member, task);
  record.below = &creator;
  record.number = member.num;
  const bool has_pointer = is_frame_pointer(caller, call);
  record.frame.exit.ptr = has_pointer ? caller : call.frame;
  record.frame.exit_flags =
      frame_flags::application | (has_pointer ? frame_flags::frame_pointer : frame_flags::cfa);
  raise<Event::task_schedule>(&creator.data, TaskStatus::switched, &record.data);
}

void end_undeferred(Member& member, SubmittedTask& task) {
  TaskRecord& record = record_of(task);
  TaskRecord& creator = *record.below;
  call_parts_left(task);
  destroy_data(task);
  end_open_work(record);
  record.frame.exit.ptr = nullptr;
  const bool has_event = task.has(AtReturn::event);  // then the record goes with the complete task
  raise<Event::task_schedule>(&record.data, how_ended(task, record, has_event), &creator.data);
  if (!has_event) drop(record);
  leave_undeferred(member, task);
  creator.frame.enter.ptr = nullptr;
}

void submit_next_part(Member& member, SubmittedTask& task) {
  if (task.untold || task.kind != TaskKind::deferred) return omp::submit_next_part(member, task);
  record_of(task).goes_on = true;
}

void run_undeferred_body(Member& member, SubmittedTask& task) {
  const bool has_event = task.has(AtReturn::event);
  run_body(member, task, *task.creator, {has_event, has_event}, call_all_parts, &task);
}

bool run_deferred_body(Member& member, ExplicitTask& task, const Task& outer, AtEnd at_end) {
  constexpr uint8_t of_submitted = AtReturn::parts | AtReturn::destructors;
  if ((task.at_return & of_submitted) != 0)
    return run_body(member, task, outer, at_end, call_part, static_cast<SubmittedTask*>(&task));
  return run_body(member, task, outer, at_end, task.function, task.data);
}

}  // namespace xylem::omp::tool
