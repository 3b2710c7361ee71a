// Owns: waiting for tasks. See task_wait.hpp.
#include "omp/task_wait.hpp"

#include "omp/task_explicit.hpp"
#include "omp/team.hpp"

namespace xylem::omp {

namespace {

// Takes a ready child of the current task; null if there is none.
ExplicitTask* take_child(TaskPool& pool, Family& family) XYLEM_REQUIRES(pool.lock) {
  ExplicitTask* child = family.ready.head;
  if (child) take_ready(pool, *child);
  return child;
}

bool childless(const Family& family) {
  // acquire: pairs with the decrement in let_go(); what the children wrote is seen
  return family.word.load(std::memory_order_acquire) == 0;
}

}  // namespace

void taskwait(Member& member) XYLEM_NO_THREAD_ANALYSIS {  // the lock goes to wait_as()
  Family* family = member.task->family;
  if (!family) return;
  TaskPool& pool = member.team->tasks;
  while (!childless(*family)) {
    pool.lock.lock();
    if (ExplicitTask* child = take_child(pool, *family)) {
      pool.lock.unlock();
      execute(member, *child);
    } else if (childless(*family)) {
      pool.lock.unlock();
    } else {
      wait_as(family->waiter, pool);
    }
  }
}

void wait_for_dependences(Member& member, void** depend) XYLEM_NO_THREAD_ANALYSIS {  // likewise
  Family* family = member.task->family;
  if (!family || !family->depends) return;
  TaskPool& pool = member.team->tasks;
  Blocked blocked;
  pool.lock.lock();
  family->depends->block(blocked, depend);
  while (blocked.unmet > 0) {
    if (ExplicitTask* child = take_child(pool, *family)) {
      pool.lock.unlock();
      execute(member, *child);
    } else {
      wait_as(family->waiter, pool);
    }
    pool.lock.lock();
  }
  pool.lock.unlock();
}

bool must_wait_for_dependences(Member& member, void** depend) {
  Family* family = member.task->family;
  if (!family || !family->depends) return false;
  fiber::Locked locked(member.team->tasks.lock);
  return family->depends->must_wait(depend);
}

void taskyield(Member& member) {
  TaskPool& pool = member.team->tasks;
  const bool queued = pool.has_queued();
  fiber::Fiber& fiber = *member.fiber;
  if (!queued && !fiber.holder && fiber.worker->yields_to_nobody()) return;
  Family* family = member.task->family;
  ExplicitTask* child = nullptr;
  if (family && queued) {
    fiber::Locked locked(pool.lock);
    child = take_child(pool, *family);
  }
  if (child) {
    execute(member, *child);
  } else {
    fiber::yield();
  }
}

void run_all_tasks(Member& member) XYLEM_NO_THREAD_ANALYSIS {  // the lock goes to wait_as()
  TaskPool& pool = member.team->tasks;
  while (!pool.idle()) {
    if (pool.run_one(member)) continue;
    pool.lock.lock();
    if (!pool.ready.empty() || pool.idle()) {
      pool.lock.unlock();
    } else {
      wait_as(pool.loner, pool);
    }
  }
}

}  // namespace xylem::omp
