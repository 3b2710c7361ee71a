// Owns: the life of a deferred task from ready to complete. See task.hpp and task_explicit.hpp.
#include "omp/task.hpp"

#include "mem/nodes.hpp"
#include "omp/task_explicit.hpp"
#include "omp/taskgroup.hpp"
#include "omp/team.hpp"
#include "omp/tracing.hpp"

namespace xylem::omp {

// --- lists of ready tasks ------------------------------------------------------------------------

template <ReadyIn Which>
static ReadyLink& link_of(ExplicitTask& task) {
  return task.links[static_cast<int>(Which)];
}

template <ReadyIn Which>
void ReadyList<Which>::insert(ExplicitTask* before, ExplicitTask& task, ExplicitTask* after) {
  link_of<Which>(task) = {after, before};
  (before ? link_of<Which>(*before).next : head) = &task;
  (after ? link_of<Which>(*after).prev : tail) = &task;
}

template <ReadyIn Which>
void ReadyList<Which>::add_first(ExplicitTask& task) {
  ExplicitTask* after = head;
  while (after && after->priority > task.priority) after = link_of<Which>(*after).next;
  insert(after ? link_of<Which>(*after).prev : tail, task, after);
}

template <ReadyIn Which>
void ReadyList<Which>::add_last(ExplicitTask& task) {
  ExplicitTask* before = tail;
  while (before && before->priority < task.priority) before = link_of<Which>(*before).prev;
  insert(before, task, before ? link_of<Which>(*before).next : head);
}

template <ReadyIn Which>
void ReadyList<Which>::remove(ExplicitTask& task) {
  const ReadyLink& link = link_of<Which>(task);
  (link.prev ? link_of<Which>(*link.prev).next : head) = link.next;
  (link.next ? link_of<Which>(*link.next).prev : tail) = link.prev;
}

// --- families ------------------------------------------------------------------------------------

namespace {

void free_family(Family& family) {
  delete family.depends;
  delete &family;
}

}  // namespace

Family& Task::make_family() {
  family = new Family;
  return *family;
}

void Task::leave_family() {
  // acq_rel: pairs with the decrement in let_go(); the last one to leave frees what others wrote
  if (family->word.fetch_or(1, std::memory_order_acq_rel) == 0) free_family(*family);
  family = nullptr;
}

// --- waiting -------------------------------------------------------------------------------------

void wake_waiter(fiber::Fiber*& waiter, Woken& woken) {
  if (!waiter) return;
  woken.push_back(*waiter);
  waiter = nullptr;
}

namespace {

void unlock_after(fiber::Worker&, void* lock) XYLEM_NO_THREAD_ANALYSIS {  // by the fiber that left
  static_cast<fiber::SpinLock*>(lock)->unlock();
}

}  // namespace

void wait_as(fiber::Fiber*& waiter, TaskPool& pool) XYLEM_NO_THREAD_ANALYSIS {  // unlock_after()
  waiter = fiber::current_fiber();
  fiber::suspend(unlock_after, &pool.lock, trace::Reason::taskwait);
}

// --- ready ---------------------------------------------------------------------------------------

void make_task_ready(TaskPool& pool, ExplicitTask& task, Woken& woken) {
  pool.ready.add_last(task);
  task.siblings->ready.add_first(task);
  wake_waiter(task.siblings->waiter, woken);
  if (task.group) {
    task.group->ready.add_first(task);
    wake_waiter(task.group->waiter, woken);
  }
  wake_waiter(pool.loner, woken);
  pool.queued.fetch_add(1);
}

void take_ready(TaskPool& pool, ExplicitTask& task) {
  pool.ready.remove(task);
  task.siblings->ready.remove(task);
  if (task.group) task.group->ready.remove(task);
  pool.queued.fetch_sub(1);
}

// --- running -------------------------------------------------------------------------------------

namespace {

bool discarded(const ExplicitTask& task) {
  if (task.must_run || !globals().cancellation) return false;
  // relaxed: a task may start although a cancel is on its way
  return task.team->cancelled.load(std::memory_order_relaxed) != 0 || is_cancelled(task.group);
}

// True if the task is to wait for its event; then it may be complete and gone already.
bool detaches(ExplicitTask& task) {
  if (!task.detachable) return false;
  Team& team = *task.team;
  hold_region(team);  // fulfill() releases it
  if (end_before_event(*task.event, Event::body_ended)) return true;
  release_region(team);
  return false;
}

}  // namespace

void execute(Member& member, ExplicitTask& task) {
  Task* outer = member.task;
  if (discarded(task)) {
    if (task.detachable) end_before_event(*task.event, Event::discarded);
    complete(task);
    return;
  }
  member.task = &task;
  trace::emit<traced::task_begin>(member);
  task.function(task.data);
  trace::emit<traced::task_end>(member);
  member.task = outer;
  if (!detaches(task)) complete(task);
  fiber::scheduling_point(*member.fiber);
}

namespace {

// Under the lock: everybody who counts on the task learns that it has ended. True if tasks became
// ready. `orphaned` gets the family when it was its last touch.
bool let_go(TaskPool& pool, ExplicitTask& task, Woken& woken, Family*& orphaned)
    XYLEM_REQUIRES(pool.lock) {
  bool new_work = false;
  Family& family = *task.siblings;
  if (task.node_count) family.depends->leave(task);
  for (Blocked* blocked : task.dependents) {
    if (--blocked->unmet > 0) continue;
    if (blocked->task) {
      if (!family.depends->acquire(*blocked->task)) continue;
      make_task_ready(pool, *blocked->task, woken);
      new_work = true;
    } else {
      wake_waiter(family.waiter, woken);
    }
  }
  if (family.word.load(std::memory_order_relaxed) >> 1 == 1) {  // relaxed: decremented by lock only
    wake_waiter(family.waiter, woken);
  }
  if (Taskgroup* group = task.group) {
    if (group->count.load(std::memory_order_relaxed) == 1) wake_waiter(group->waiter, woken);
    group->count.fetch_sub(1, std::memory_order_acq_rel);  // pairs with taskgroup_end()
  }
  // acq_rel: pairs with taskwait() and leave_family()
  if (family.word.fetch_sub(2, std::memory_order_acq_rel) == 3) orphaned = &family;
  return new_work;
}

void free_task(ExplicitTask& task) {
  task.~ExplicitTask();
  ::operator delete(&task);
}

// The last use of the team, unless the caller holds it.
void end_outstanding(Team& team) {
  TaskPool& pool = team.tasks;
  const bool alone = team.n == 1;
  if (pool.outstanding.fetch_sub(1) != 1) return;
  tasks_drained(team);
  if (!alone) return;
  Woken woken;
  pool.lock.lock();
  wake_waiter(pool.loner, woken);
  pool.lock.unlock();
  fiber::make_all_ready(woken);
}

}  // namespace

void complete(ExplicitTask& task) {
  Team& team = *task.team;
  TaskPool& pool = team.tasks;
  if (task.detachable) pool.open_events.fetch_sub(1, std::memory_order_relaxed);
  Woken woken;
  Family* orphaned = nullptr;
  pool.lock.lock();
  const bool new_work = let_go(pool, task, woken, orphaned);
  pool.lock.unlock();
  if (orphaned) free_family(*orphaned);
  fiber::make_all_ready(woken);
  if (new_work) rouse_helper(team);
  free_task(task);
  end_outstanding(team);
}

// --- the pool ------------------------------------------------------------------------------------

void TaskPool::close() {
  delete region_group;
  region_group = nullptr;
}

namespace {

constexpr int tasks_to_look_at = 8;

// The oldest ready task; of the next ones that are as urgent, one whose data is near comes first.
ExplicitTask* next_for(const Member& member, ExplicitTask* oldest) {
  if (!oldest || oldest->home < 0) return oldest;
  const int here = mem::node_of_pu(member.fiber->pu);
  ExplicitTask* task = oldest;
  for (int looked = 0; task && looked < tasks_to_look_at; ++looked) {
    if (task->priority != oldest->priority) break;
    if (task->home == here) return task;
    task = task->links[static_cast<int>(ReadyIn::team)].next;
  }
  return oldest;
}

}  // namespace

bool TaskPool::run_one(Member& member) {
  if (queued.load(std::memory_order_relaxed) == 0) return false;  // relaxed: only a hint
  lock.lock();
  ExplicitTask* task = next_for(member, ready.head);
  if (task) take_ready(*this, *task);
  lock.unlock();
  if (!task) return false;
  execute(member, *task);
  return true;
}

}  // namespace xylem::omp
