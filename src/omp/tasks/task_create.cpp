// Owns: creating tasks. See task_create.hpp.
#include "omp/tasks/task_create.hpp"

#include <alloca.h>

#include <cstring>
#include <new>

#include "omp/tasks/task_blocks.hpp"
#include "omp/tasks/task_defer.hpp"
#include "omp/tool/tasks.hpp"

namespace xylem::omp {

namespace {

// `alignment` is a power of two.
char* aligned(char* address, size_t alignment) {
  return address + (-reinterpret_cast<uintptr_t>(address) & (alignment - 1));
}

void put_range(void* arguments, const TaskRequest& request) {
  if (request.range) request.range_at.put(arguments, *request.range);
}

// --- at once -------------------------------------------------------------------------------------

[[gnu::noinline]] void call_with_copy(const TaskRequest& request) {
  char* space = static_cast<char*>(alloca(request.size + request.alignment));
  char* arguments = aligned(space, request.alignment);
  request.copy(arguments, request.data);
  put_range(arguments, request);
  request.function(arguments);
}

void call(const TaskRequest& request) {
  if (request.copy) {
    call_with_copy(request);
    return;
  }
  put_range(request.data, request);
  request.function(request.data);
}

[[gnu::cold]] void call_told(Member& member, Task& task, const TaskRequest& request) {
  tool::adopt(task);
  tool::run_body(
      member, task, *task.creator, {},
      [](void* told) { call(*static_cast<const TaskRequest*>(told)); },
      const_cast<TaskRequest*>(&request));
}

void run_at_once(Member& member, const TaskRequest& request) {
  UndeferredTask(member, request.final).run(request);
  if (request.event) [[unlikely]]
    wait_for_event(*request.event);
}

// --- deferred ------------------------------------------------------------------------------------

ExplicitTask& allocate_task(const TaskRequest& request) {
  const size_t nodes = request.dependences.size();
  const size_t alignment = request.alignment ? request.alignment : 1;
  size_t arguments = sizeof(ExplicitTask);
  if (nodes > 0) arguments += Dependences::bytes_for(nodes);
  const size_t bytes = arguments + request.size + alignment;
  char* block = static_cast<char*>(take_block(bytes));
  auto* task = new (block) ExplicitTask;
  task->bytes = bytes;
  task->data = aligned(block + arguments, alignment);
  if (nodes > 0) task->dependences = Dependences::make(block + sizeof(ExplicitTask), *task, nodes);
  return *task;
}

void copy_arguments(Member& member, ExplicitTask& task, const TaskRequest& request) {
  if (request.copy) {
    Task* parent = member.task;
    member.task = &task;
    request.copy(task.data, request.data);
    member.task = parent;
    task.must_run = true;
  } else if (request.size) {
    std::memcpy(task.data, request.data, request.size);
  }
  put_range(task.data, request);
}

ExplicitTask& make_task(Member& member, const TaskRequest& request) {
  ExplicitTask& task = allocate_task(request);
  if (tool::on()) [[unlikely]]
    tool::adopt(task);
  adopt(member, task, request.final);
  task.function = request.function;
  task.priority = allowed_priority(request.priority);
  if (request.event) task.wait_for(*request.event);
  if (tool::on() && request.event) tool::share_with_event(task, *task.event);
  copy_arguments(member, task, request);
  return task;
}

}  // namespace

UndeferredTask::UndeferredTask(Member& member, bool final) : member_(member) {
  Task& parent = *member.task;
  task_.kind = TaskKind::undeferred;
  task_.creator = &parent;
  task_.final = final || parent.final;
}

void UndeferredTask::run(const TaskRequest& request) {
  Task& parent = *task_.creator;
  enter_undeferred(member_, task_, parent);
  if (tool::on()) [[unlikely]]
    call_told(member_, task_, request);
  else
    call(request);
  member_.task = &parent;
  task_.leave_family();
}

bool is_cancelled_around(const Member& member) {
  // relaxed: a hint
  return member.team->cancelled.load(std::memory_order_relaxed) != 0 ||
         is_cancelled(member.task->taskgroup);
}

bool create_task(Member& member, const TaskRequest& request) {
  const TaskTraits traits{request.undeferred, request.event != nullptr};
  const HowToRun how = how_to_run(member, request.dependences, traits);
  if (how == HowToRun::deferred)
    defer(member, make_task(member, request), request.dependences);
  else if (how == HowToRun::at_once)
    run_at_once(member, request);
  return how != HowToRun::not_at_all;
}

}  // namespace xylem::omp
