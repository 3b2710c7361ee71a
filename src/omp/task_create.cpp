// Owns: creating tasks. See task_create.hpp.
//
// Throttling: when a team has more than 64 outstanding tasks for each thread a new task is run at
// once by the one that creates it, unless it, or one before it, may wait for an event.
#include "omp/task_create.hpp"

#include <alloca.h>

#include <cstring>
#include <new>

#include "mem/memory.hpp"
#include "mem/nodes.hpp"
#include "omp/task_explicit.hpp"
#include "omp/task_wait.hpp"
#include "omp/taskgroup.hpp"
#include "omp/team.hpp"

namespace xylem::omp {

namespace {

constexpr int tasks_per_thread = 64;

void inherit(Task& task, const Task& parent, bool final) {
  task.icvs = parent.icvs;
  task.parent = &parent;
  task.taskgroup = parent.taskgroup;
  task.final = final || parent.final;
}

char* aligned(char* address, size_t alignment) {
  const auto value = reinterpret_cast<uintptr_t>(address);
  return address + ((alignment - value % alignment) % alignment);
}

void set_range(void* arguments, const TaskRequest& request) {
  if (request.range) std::memcpy(arguments, request.range, 2 * sizeof(long));
}

// --- at once -------------------------------------------------------------------------------------

[[gnu::noinline]] void call_with_copy(const TaskRequest& request) {
  char* space = static_cast<char*>(alloca(request.size + request.alignment));
  char* arguments = aligned(space, request.alignment);
  request.copy(arguments, request.data);
  set_range(arguments, request);
  request.function(arguments);
}

void call(const TaskRequest& request) {
  if (request.copy) {
    call_with_copy(request);
    return;
  }
  set_range(request.data, request);
  request.function(request.data);
}

// The compiled code finds the event's handle in its own variable and first among the arguments.
void hand_out(Event& event, const TaskRequest& request) {
  *request.event = &event;
  if (request.data) *static_cast<void**>(request.data) = &event;
}

void run_at_once(Member& member, const TaskRequest& request) {
  Task& parent = *member.task;
  Task task;
  inherit(task, parent, request.final);
  Event event;
  if (request.event) hand_out(event, request);
  member.task = &task;
  call(request);
  member.task = &parent;
  if (request.event) wait_for_event(event);
}

// --- deferred ------------------------------------------------------------------------------------

ExplicitTask& allocate_task(const TaskRequest& request, size_t nodes) {
  const size_t alignment = request.alignment ? request.alignment : 1;
  const size_t nodes_end = sizeof(ExplicitTask) + nodes * sizeof(DependNode);
  char* block = static_cast<char*>(::operator new(nodes_end + request.size + alignment));
  auto* task = new (block) ExplicitTask;
  task->data = aligned(block + nodes_end, alignment);
  task->nodes = reinterpret_cast<DependNode*>(block + sizeof(ExplicitTask));
  task->node_count = static_cast<uint32_t>(nodes);
  for (size_t i = 0; i < nodes; ++i) new (task->nodes + i) DependNode;
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
  set_range(task.data, request);
}

// Where the first page is of what it writes first, else of what it reads first: members on that
// node run it sooner (TaskPool::run_one).
[[gnu::noinline]] int home_of(void** depend) {
  if (dependence_count(depend) == 0) return -1;
  Dependence first = dependence_at(depend, 0);
  for (size_t i = 0; i < dependence_count(depend); ++i) {
    const Dependence other = dependence_at(depend, i);
    if (other.kind == DependKind::in) continue;
    first = other;
    break;
  }
  int node = -1;
  mem::locate(first.address, 1, {&node, 1});
  return node >= 0 ? node : -1;
}

ExplicitTask& make_task(Member& member, const TaskRequest& request) {
  Task& parent = *member.task;
  ExplicitTask& task =
      allocate_task(request, request.depend ? dependence_count(request.depend) : 0);
  inherit(task, parent, request.final);
  task.function = request.function;
  task.team = member.team;
  task.siblings = &parent.own_family();
  task.group = parent.taskgroup;
  task.priority = request.priority;
  task.blocked.task = &task;
  if (request.event) {
    task.detachable = true;
    task.event = new Event;
    task.event->task = &task;
    hand_out(*task.event, request);
  }
  if (request.depend && member.team->n > 1 && mem::node_count() > 1)
    task.home = home_of(request.depend);
  copy_arguments(member, task, request);
  return task;
}

// From here on barriers, the parent and the taskgroup wait for it.
void count(ExplicitTask& task) {
  TaskPool& pool = task.team->tasks;
  // relaxed: the lock under which the task becomes findable orders them
  task.siblings->word.fetch_add(2, std::memory_order_relaxed);
  if (task.group) task.group->count.fetch_add(1, std::memory_order_relaxed);
  if (task.detachable) pool.open_events.fetch_add(1, std::memory_order_relaxed);
  pool.outstanding.fetch_add(1);
}

void defer(Member& member, const TaskRequest& request) {
  ExplicitTask& task = make_task(member, request);
  count(task);
  TaskPool& pool = member.team->tasks;
  const bool alone = member.team->n == 1;
  Woken woken;
  pool.lock.lock();
  if (request.depend) {
    if (!task.siblings->depends) task.siblings->depends = new DependTable;
    task.siblings->depends->enter(task, request.depend);
  }
  const bool ready =
      task.blocked.unmet == 0 && (!request.depend || task.siblings->depends->acquire(task));
  if (ready && !alone) make_task_ready(pool, task, woken);
  pool.lock.unlock();
  fiber::make_all_ready(woken);
  if (!ready) return;
  if (alone) {
    execute(member, task);
  } else {
    rouse_helper(*member.team);
  }
}

bool crowded(const Team& team) {
  // relaxed: a hint
  return team.n == 1 ||
         team.tasks.outstanding.load(std::memory_order_relaxed) > tasks_per_thread * team.n;
}

// True if the task is better run by the caller. May wait for tasks before it.
bool better_at_once(Member& member, const TaskRequest& request) {
  const Team& team = *member.team;
  if (request.event || !crowded(team)) return false;
  if (!request.depend || !must_wait_for_dependences(member, request.depend)) return true;
  // relaxed: only this member's own earlier tasks matter
  if (team.tasks.open_events.load(std::memory_order_relaxed) > 0) return false;
  wait_for_dependences(member, request.depend);
  return true;
}

bool cancelled(const Member& member) {
  if (!globals().cancellation) return false;
  // relaxed: a hint
  return member.team->cancelled.load(std::memory_order_relaxed) != 0 ||
         is_cancelled(member.task->taskgroup);
}

}  // namespace

void create_task(Member& member, const TaskRequest& request) {
  if (cancelled(member)) {
    if (request.event) *request.event = nullptr;  // a handle without effect
    return;
  }
  if (request.undeferred || member.task->final) {
    if (request.depend) wait_for_dependences(member, request.depend);
    run_at_once(member, request);
  } else if (better_at_once(member, request)) {
    run_at_once(member, request);
  } else {
    defer(member, request);
  }
}

}  // namespace xylem::omp
