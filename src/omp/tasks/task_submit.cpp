// Owns: submitting tasks that the program filled in. See task_submit.hpp.
#include "omp/tasks/task_submit.hpp"

#include <cstring>
#include <new>

#include "omp/tasks/task_blocks.hpp"
#include "omp/tasks/task_defer.hpp"
#include "omp/team/team.hpp"
#include "omp/tool/submitted_tasks.hpp"

namespace xylem::omp {

namespace {

size_t data_bytes(const SubmittedTask& task) { return task.bytes - submitted_data_offset; }

// In a block of their own: when the task's was made nobody knew of them.
void make_dependences(SubmittedTask& task, size_t nodes) {
  const size_t bytes = Dependences::bytes_for(nodes);
  task.dependences = Dependences::make(take_block(bytes), task, nodes);
  task.dependences->own_block = bytes;
}

// True if the tool was told of the task's creation.
bool is_told(const SubmittedTask& task) { return tool::on() && !task.untold; }

}  // namespace

Event& SubmittedTask::own_event() {
  if (!event) wait_for(*new Event);
  return *event;
}

SubmittedTask& new_task(void (*function)(void* data), size_t bytes) {
  const size_t whole = submitted_data_offset + bytes;
  char* block = static_cast<char*>(take_block(whole));
  auto* task = new (block) SubmittedTask;
  task->function = function;
  task->data = block + submitted_data_offset;
  task->bytes = whole;
  task->untold = true;
  return *task;
}

SubmittedTask& new_task_like(const SubmittedTask& pattern) {
  SubmittedTask& task = new_task(pattern.function, data_bytes(pattern));
  std::memcpy(task.data, pattern.data, data_bytes(pattern));
  task.final = pattern.final;
  task.priority = pattern.priority;
  task.home = pattern.home;
  task.destroy = pattern.destroy;
  task.at_return = pattern.at_return & (AtReturn::parts | AtReturn::destructors);
  return task;
}

void submit_task(Member& member, SubmittedTask& task, DependList dependences) {
  switch (how_to_run(member, dependences, {.has_event = task.has(AtReturn::event)})) {
    case HowToRun::not_at_all:
      if (is_told(task)) [[unlikely]]
        tool::discard(member, task, {});
      return discard(task);
    case HowToRun::at_once:
      return run_undeferred(member, task);
    case HowToRun::deferred:
      task.creator = member.task;
      task.priority = allowed_priority(task.priority);
      adopt(member, task, task.final);
      if (!dependences.empty()) make_dependences(task, dependences.size());
      defer(member, task, dependences);
  }
}

void submit_next_part(Member& member, SubmittedTask& task) {
  task.open_parts.fetch_add(1, std::memory_order_relaxed);
  task.must_run = true;
  // Of an undeferred one end_undeferred() runs it.
  if (task.kind == TaskKind::deferred) make_task_ready(task, &member);
}

void begin_undeferred(Member& member, SubmittedTask& task) {
  Task& parent = *member.task;
  task.kind = TaskKind::undeferred;
  task.creator = &parent;
  task.final |= parent.final;
  if (task.untold) task.told = parent.told;
  enter_undeferred(member, task, parent);
}

void call_parts_left(SubmittedTask& task) {
  if (!task.has(AtReturn::parts)) return;
  while (!task.end_part()) task.function(task.data);
}

void call_parts(SubmittedTask& task) {
  task.function(task.data);
  call_parts_left(task);
}

// The creator of an undeferred task waits for its body alone: until its event is fulfilled it is
// one more child of the creator.
void leave_undeferred(Member& member, SubmittedTask& task) {
  if (task.has(AtReturn::destructors)) task.destroy(task.data);
  member.task = task.creator;
  if (!task.has(AtReturn::event)) return free_task(task);
  adopt(member, task, task.final);
  count(task, TaskCounter::State::blocked);
  if (!detaches(task)) complete(task, &member);
}

void end_undeferred(Member& member, SubmittedTask& task) {
  call_parts_left(task);
  leave_undeferred(member, task);
}

void run_undeferred(Member& member, SubmittedTask& task) {
  begin_undeferred(member, task);
  if (is_told(task)) [[unlikely]]
    tool::run_undeferred_body(member, task);
  else
    call_parts(task);
  leave_undeferred(member, task);
}

void discard(SubmittedTask& task) {
  end_unrun(task);
  free_task(task);
}

}  // namespace xylem::omp
