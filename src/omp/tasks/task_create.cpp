// Owns: creating tasks. See task_create.hpp.
//
// Throttling: when a task has more than 64 outstanding children for each thread of the team, or the
// member's queue is full, a new task is run at once by the one that creates it, unless it, or one
// before it, may wait for an event.
#include "omp/tasks/task_create.hpp"

#include <alloca.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "omp/tasks/task_blocks.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_queue.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/team/team.hpp"
#include "omp/tool/tasks.hpp"

namespace xylem::omp {

namespace {

constexpr int most_in_a_queue = 256;

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
      member, task, *task.creator, false,
      [](void* told) { call(*static_cast<const TaskRequest*>(told)); },
      const_cast<TaskRequest*>(&request));
}

void run_at_once(Member& member, const TaskRequest& request) {
  UndeferredTask(member, request.final).run(request);
  if (request.event) [[unlikely]] {
    wait_for_event(*request.event);
    delete request.event;
  }
}

// --- deferred ------------------------------------------------------------------------------------

void make_dependences(ExplicitTask& task, char* place, size_t nodes) {
  task.dependences = new (place) Dependences(task);
  task.dependences->nodes = reinterpret_cast<DependNode*>(place + sizeof(Dependences));
  task.dependences->count = static_cast<uint32_t>(nodes);
  for (size_t i = 0; i < nodes; ++i) new (task.dependences->nodes + i) DependNode;
}

ExplicitTask& allocate_task(const TaskRequest& request) {
  const size_t nodes = request.dependences.size();
  const size_t alignment = request.alignment ? request.alignment : 1;
  size_t arguments = sizeof(ExplicitTask);
  if (nodes > 0) arguments += sizeof(Dependences) + nodes * sizeof(DependNode);
  const size_t bytes = arguments + request.size + alignment;
  char* block = static_cast<char*>(take_block(bytes));
  auto* task = new (block) ExplicitTask;
  task->bytes = bytes;
  task->data = aligned(block + arguments, alignment);
  if (nodes > 0) make_dependences(*task, block + sizeof(ExplicitTask), nodes);
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

// Where the first page is of what it writes first, else of what it reads first: members on that
// node run it sooner (TaskPool::run_one).
[[gnu::noinline]] int home_of(DependList dependences) {
  const Dependence* first = &dependences.front();
  for (const Dependence& dependence : dependences) {
    if (dependence.kind == DependKind::in) continue;
    first = &dependence;
    break;
  }
  int node = -1;
  mem::locate(first->address, 1, {&node, 1});
  return node >= 0 ? node : -1;
}

int allowed_priority(int wanted) {
  return wanted > 0 ? std::min(wanted, globals().max_task_priority) : 0;
}

ExplicitTask& make_task(Member& member, const TaskRequest& request) {
  Task& parent = *member.task;
  ExplicitTask& task = allocate_task(request);
  if (tool::on()) [[unlikely]]
    tool::adopt(task);
  task.icvs.inherit(parent.icvs);
  task.taskgroup = parent.taskgroup;
  task.final = request.final || parent.final;
  task.kind = TaskKind::deferred;
  task.function = request.function;
  task.team = member.team;
  task.siblings = &parent.own_family(*member.team);
  task.group = parent.taskgroup;
  task.priority = allowed_priority(request.priority);
  if (request.event) {
    task.detachable = true;
    task.event = request.event;
    task.event->task = &task;
    if (tool::on()) task.event->told = task.told;
  }
  if (task.dependences && member.team->n > 1 && mem::node_count() > 1)
    task.home = home_of(request.dependences);
  copy_arguments(member, task, request);
  return task;
}

// From here on the parent, the taskgroup, and barriers wait for it.
void count(ExplicitTask& task, TaskCounter::State state) {
  task.siblings->children.begin_one(state);
  if (task.group) task.group->tasks.begin_one(state);
  if (task.detachable)
    task.team->tasks.open_events.fetch_add(1, std::memory_order_relaxed);  // a hint
}

// True if the task waits for none before it. If it does it may run, and be gone, at any time.
bool enter_dependences(ExplicitTask& task, DependList dependences) {
  Family& family = *task.siblings;
  if (!family.depends) family.depends = new DependTable;
  DependTable& table = *family.depends;
  base::Locked locked(table.lock);
  table.enter(task, dependences);
  return task.dependences->blocked.unmet == 0 && table.acquire(task);
}

void defer(Member& member, const TaskRequest& request) {
  ExplicitTask& task = make_task(member, request);
  const bool alone = member.team->n == 1;
  if (request.dependences.empty() && !alone) [[likely]] {
    count(task, TaskCounter::State::queued);
    sched::note_new_work(*member.thread);  // taskyield() may run it
    push_task(task, &member);
    return;
  }
  count(task, TaskCounter::State::blocked);
  if (!request.dependences.empty() && !enter_dependences(task, request.dependences)) return;
  if (alone) {
    execute(member, task);
  } else {
    make_task_ready(task, &member);
  }
}

bool crowded(Member& member) {
  const auto n = static_cast<uint32_t>(member.team->n);
  if (n == 1) return true;
  const Family* family = member.task->family;
  if (family && family->children.outstanding() > children_per_thread * n) return true;
  TaskQueues* made = member.team->tasks.made_queues();
  return made && made->of(member).count_relaxed() >= most_in_a_queue;
}

// True if the task is better run by the caller. May wait for tasks before it.
bool better_at_once(Member& member, const TaskRequest& request) {
  const Team& team = *member.team;
  if (request.event || !crowded(member)) return false;
  if (request.dependences.empty()) return true;
  if (!must_wait_for_dependences(member, request.dependences)) return true;
  // relaxed: only this member's own earlier tasks matter
  if (team.tasks.open_events.load(std::memory_order_relaxed) > 0) return false;
  wait_for_dependences(member, request.dependences);
  return true;
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
  task_.icvs.inherit(parent.icvs);
  task_.taskgroup = parent.taskgroup;
  member_.task = &task_;
  if (tool::on()) [[unlikely]]
    call_told(member_, task_, request);
  else
    call(request);
  member_.task = &parent;
  task_.leave_family();
}

bool new_tasks_are_discarded(const Member& member) {
  if (!globals().cancellation) return false;
  // relaxed: a hint
  return member.team->cancelled.load(std::memory_order_relaxed) != 0 ||
         is_cancelled(member.task->taskgroup);
}

bool create_task(Member& member, const TaskRequest& request) {
  if (new_tasks_are_discarded(member)) return false;
  if (request.undeferred || member.task->final) {
    if (!request.dependences.empty()) wait_for_dependences(member, request.dependences);
    run_at_once(member, request);
  } else if (better_at_once(member, request)) {
    run_at_once(member, request);
  } else {
    defer(member, request);
  }
  return true;
}

}  // namespace xylem::omp
