// Owns: waiting for tasks. See task_wait.hpp.
#include "omp/tasks/task_wait.hpp"

#include "base/relax.hpp"
#include "omp/tasks/task_data.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_queue.hpp"
#include "omp/team/near_first.hpp"
#include "omp/team/team.hpp"
#include "omp/tool/tasks.hpp"
#include "os/clock.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

constexpr int most_levels_to_climb = 32;
constexpr int tasks_to_examine = 8;

void record(ChildTasks& child_tasks, ParentIs state) {
  child_tasks.parent.store(state, std::memory_order_relaxed);  // a hint
}

ParentIs parent_of(const ChildTasks& child_tasks) {
  return child_tasks.parent.load(std::memory_order_relaxed);  // a hint
}

// The siblings that the parent is counted among. (An undeferred task is counted in none; the one in
// whose frames it runs waits for it.)
ChildTasks* next_above(const ChildTasks* child_tasks) {
  while (child_tasks->undeferred) child_tasks = child_tasks->above;
  return child_tasks->above;
}

// Who waits for the children of one task.
struct WaitForChildren {
  ChildTasks& child_tasks;

  void record_idle(bool idle) const {
    if (parent_of(child_tasks) != ParentIs::going_on)
      record(child_tasks, idle ? ParentIs::idle_in_taskwait : ParentIs::in_taskwait);
  }

  TaskCounter& awaited() const { return child_tasks.counter; }
  bool is_awaited(const ExplicitTask& task) const { return task.siblings == &child_tasks; }
  // True if a child waits for it, or for one that does: all between are in their own taskwait.
  bool is_needed(const ExplicitTask& task) const {
    const ChildTasks* at = task.siblings;
    for (int level = 0; at && level < most_levels_to_climb; ++level) {
      if (at == &child_tasks) return true;
      if (parent_of(*at) == ParentIs::going_on) return false;
      at = next_above(at);
    }
    return false;
  }
};

// Who waits for the end of a taskgroup, and so for all that began in one inside.
struct WaitForGroup {
  Taskgroup& group;

  void record_idle(bool) const {}
  TaskCounter& awaited() const { return group.tasks; }
  bool is_awaited(const ExplicitTask& task) const { return task.group == &group; }
  bool is_needed(const ExplicitTask& task) const {
    const Taskgroup* at = task.group;
    for (int level = 0; at && level < most_levels_to_climb; ++level) {
      if (at == &group) return true;
      at = at->enclosing;
    }
    return false;
  }
};

// Takes a task that is waited for, wherever it is queued. Null if none is found.
template <class Wait>
ExplicitTask* take_awaited(Member& member, TaskQueues& queues, const Wait& wait) {
  const auto wanted = [&](const ExplicitTask& task) { return wait.is_awaited(task); };
  TaskQueue& own = queues.of(member);
  if (ExplicitTask* task = own.take_newest_of(wanted)) return task;
  if (ExplicitTask* task = queues.urgent.take_oldest_of(wanted, INT32_MAX)) return task;
  ExplicitTask* task = nullptr;
  visit_near_first(queues.number_of(member), queues.size(), queues.a_node(), [&](int i) {
    task = queues.at(i).take_newest_of(wanted);
    return task != nullptr;
  });
  return task;
}

// Takes a task that must be run before the wait can end: what is waited for has been taken by
// others, and who waits helps them (leapfrogging).
template <class Wait>
ExplicitTask* take_needed(Member& member, const Wait& wait) {
  TaskQueues* made = member.team->tasks.made_queues();
  if (!made) return nullptr;
  TaskQueues& queues = *made;
  const auto wanted = [&](const ExplicitTask& task) { return wait.is_needed(task); };
  const int own = queues.number_of(member);
  ExplicitTask* task = nullptr;
  const auto take = [&](int i) {
    task = queues.at(i).take_oldest_of(wanted, tasks_to_examine);
    return task != nullptr;
  };
  if (!take(own)) visit_near_first(own, queues.size(), queues.a_node(), take);
  return task;
}

template <class Wait>
ExplicitTask* take_queued(Member& member, const Wait& wait) {
  TaskQueues* queues = member.team->tasks.made_queues();
  if (!queues) return nullptr;
  for (int turn = 0; wait.awaited().queued() > 0; ++turn) {
    if (ExplicitTask* task = take_awaited(member, *queues, wait)) return task;
    if (turn < 100) {  // it is on its way into its queue, or somebody else has just taken it
      base::relax();
    } else {
      os::yield_to_kernel();
    }
  }
  return nullptr;
}

constexpr int spins_before_wait = 300;
constexpr int spins_before_yield = 16;

// Null when it has slept, or there is something new. It looks through all queues when it is about
// to sleep, and not before: each poll is a cache line of somebody who works, and who has more than
// he can run tells (tell_one_above).
template <class Wait>
ExplicitTask* take_or_sleep(Member& member, const Wait& wait) {
  for (int turn = 0; turn < spins_before_wait; ++turn) {
    // Before the first team of several there is no pool, and no queue.
    if (turn % spins_before_yield == 0 && sched::others_wait(*member.thread)) break;
    if (wait.awaited().has_reason()) return nullptr;
    base::relax();
  }
  if (ExplicitTask* task = take_needed(member, wait)) return task;
  wait.awaited().sleep();
  return nullptr;
}

// Runs a task that brings the end of the wait nearer, or sleeps until there is something new.
template <class Wait>
void help_or_sleep(Member& member, const Wait& wait, bool told) {
  ExplicitTask* task = take_queued(member, wait);
  if (!task && told) task = take_needed(member, wait);
  if (!task) {
    wait.record_idle(true);
    task = take_or_sleep(member, wait);
    wait.record_idle(false);
  }
  if (task) execute(member, *task);
}

// The parent has come to a taskwait with more children than it can run at once: an idle one above,
// which needs them done, may take some. Each one above has a task in between outstanding, so it
// lives.
void tell_one_above(const ChildTasks& child_tasks) {
  ChildTasks* at = next_above(&child_tasks);
  for (int level = 0; at && level < most_levels_to_climb; ++level) {
    const ParentIs parent = parent_of(*at);
    if (parent == ParentIs::going_on) return;
    if (parent == ParentIs::idle_in_taskwait) return at->counter.tell();
    at = next_above(at);
  }
}

}  // namespace

void taskwait(Member& member) {
  ChildTasks* child_tasks = member.task->child_tasks;
  if (!child_tasks || !child_tasks->counter.any()) return;
  record(*child_tasks, ParentIs::in_taskwait);
  if (child_tasks->counter.queued() > 1) tell_one_above(*child_tasks);
  while (child_tasks->counter.any()) {
    const bool told = child_tasks->counter.clear_changed();
    help_or_sleep(member, WaitForChildren{*child_tasks}, told);
  }
  record(*child_tasks, ParentIs::going_on);
}

void wait_for_group(Member& member, Taskgroup& group) {
  while (group.tasks.any()) help_or_sleep(member, WaitForGroup{group}, true);
}

namespace {

// A tool is told of each task that is waited for.
[[gnu::cold]] void block_told(DependTable& table, Blocked& blocked, DependList dependences) {
  tool::Sources sources;
  blocked.sources = &sources;
  {
    base::Locked locked(table.lock);
    table.block(blocked, dependences);
    blocked.sources = nullptr;
  }
  sources.tell(nullptr);
}

}  // namespace

// The task waits for the tool besides, so that it is told before the task can run.
[[gnu::cold]] bool enter_dependences_told(ExplicitTask& task, DependList dependences) {
  DependTable& table = *task.siblings->depends;
  Blocked& blocked = task.dependences->blocked;
  tool::Sources sources;
  blocked.sources = &sources;
  {
    base::Locked locked(table.lock);
    table.enter(task, dependences);
    blocked.sources = nullptr;
    ++blocked.unmet;
  }
  sources.tell(&task);
  base::Locked locked(table.lock);
  return --blocked.unmet == 0 && table.acquire(task);
}

namespace {

// In the frame of who waits for its data, until `told`.
struct DataWait {
  enum State : uint32_t { on_its_way, come, told };
  ChildTasks& children;
  std::atomic<uint32_t> state{on_its_way};  // release: pairs with the acquires in wait_for_data()
};

// The waiter, and what it waits in, stay until the last line here.
void data_is_there(void* raw) {
  auto& wait = *static_cast<DataWait*>(raw);
  wait.state.store(DataWait::come, std::memory_order_release);
  wait.children.counter.tell();
  wait.state.store(DataWait::told, std::memory_order_release);
}

}  // namespace

// The wait counts as one more child, so that the waiter sleeps until it is told.
void wait_for_data(Member& member, DependList dependences) {
  ChildTasks& children = member.task->own_child_tasks(*member.team);
  DataWait wait{children};
  hetero::Task* access = nullptr;
  const DataNames names = names_of(dependences);
  children.counter.begin_one(TaskCounter::State::blocked);
  const bool waits =
      hetero::begin_access({names.data(), names.size()}, {data_is_there, &wait}, access);
  while (waits) {
    const bool told = children.counter.clear_changed();
    if (wait.state.load(std::memory_order_acquire) != DataWait::on_its_way) break;
    help_or_sleep(member, WaitForChildren{children}, told);
  }
  while (waits && wait.state.load(std::memory_order_acquire) != DataWait::told) sched::yield();
  children.counter.end_one();
  if (waits) hetero::end_access(*access);
}

void wait_for_dependences(Member& member, DependList dependences) {
  if (hetero::any_named()) [[unlikely]]
    wait_for_data(member, dependences);
  ChildTasks* child_tasks = member.task->child_tasks;
  if (!child_tasks || !child_tasks->depends) return;
  DependTable& table = *child_tasks->depends;
  Blocked blocked;
  if (tool::on()) [[unlikely]] {
    block_told(table, blocked, dependences);
  } else {
    base::Locked locked(table.lock);
    table.block(blocked, dependences);
  }
  for (;;) {
    const bool told = child_tasks->counter.clear_changed();
    {
      base::Locked locked(table.lock);
      if (blocked.unmet == 0) return;
    }
    help_or_sleep(member, WaitForChildren{*child_tasks}, told);
  }
}

bool must_wait_for_dependences(Member& member, DependList dependences) {
  ChildTasks* child_tasks = member.task->child_tasks;
  if (!child_tasks || !child_tasks->depends) return false;
  base::Locked locked(child_tasks->depends->lock);
  return child_tasks->depends->must_wait(dependences);
}

// Other fibers get their turn too, for programs that wait in a loop of these, but not each time: a
// switch costs more than ten looks for a task.
constexpr int taskyields_for_a_yield = 16;

void taskyield_to_others(Member& member) {
  ChildTasks* child_tasks = member.task->child_tasks;
  if (child_tasks && child_tasks->counter.queued() > 0) {
    if (ExplicitTask* child = take_queued(member, WaitForChildren{*child_tasks}))
      return execute(member, *child);
  }
  const bool somebody_waits = sched::queue_has_some(*member.thread);
  if (somebody_waits && --member.taskyields > 0) return;
  member.taskyields = taskyields_for_a_yield;
  sched::yield();
}

void run_all_tasks(Member& member) {
  TaskPool& pool = member.team->tasks;
  member.implicit.leave_family();
  for (;;) {
    const uint32_t seen = pool.changes.load(std::memory_order_seq_cst);
    if (pool.run_one(member)) continue;
    if (pool.idle()) return;
    sched::wait_on(&pool.changes, seen);
  }
}

void tell_alone(Team& team) {
  team.tasks.changes.fetch_add(1, std::memory_order_seq_cst);
  sched::wake_all(&team.tasks.changes);
}

}  // namespace xylem::omp
