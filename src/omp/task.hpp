// Owns: tasks: what every task carries (Task), what the deferred children of one task share
// (Family), and a team's deferred tasks (TaskPool). What only deferred ones have:
// task_explicit.hpp.
//
// A deferred task is in this order: blocked (by dependences), ready, running, perhaps detached (its
// body has ended, its event has not come), complete. Conservation, for a team:
//   tasks.outstanding == deferred tasks that are not complete
//   tasks.queued      == deferred tasks that are ready == the length of tasks.ready
//   family.word >> 1  == outstanding children of that parent
//   group.count       == outstanding tasks that began in that taskgroup
// A ready task stands in three lists: the team's, its family's and its taskgroup's. Lists, waiters
// and dependences are changed under TaskPool::lock of the team. Explicit tasks run on the stack of
// the fiber that takes them; that fiber may be suspended inside and go on on another kernel thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/annotations.hpp"
#include "fiber/spin_lock.hpp"
#include "omp/icv.hpp"

namespace xylem::fiber {
struct Fiber;
}

namespace xylem::omp {

class DependTable;
struct ExplicitTask;
struct Member;
struct Taskgroup;
struct Team;

// Which of a ready task's three lists.
enum class ReadyIn : uint8_t { team, family, taskgroup };

// Ready tasks, those of higher priority first. By the pool's lock.
template <ReadyIn Which>
struct ReadyList {
  ExplicitTask* head = nullptr;
  ExplicitTask* tail = nullptr;

  bool empty() const { return head == nullptr; }
  void add_first(ExplicitTask& task);  // before its equals: newest first
  void add_last(ExplicitTask& task);   // behind its equals: oldest first
  void remove(ExplicitTask& task);

 private:
  void insert(ExplicitTask* before, ExplicitTask& task, ExplicitTask* after);
};

// What the deferred children of one task share. It outlives the parent when children do.
struct Family {
  // Outstanding children, times 2; plus 1 when the parent has ended. Who makes it 1 frees the
  // family. A child's decrement is its last touch (acq_rel; the parent passes a taskwait on an
  // acquire).
  std::atomic<uint32_t> word{0};
  ReadyList<ReadyIn::family> ready;  // newest first
  // The parent, suspended until a child is ready or what it waits for is done. By the pool's lock.
  fiber::Fiber* waiter = nullptr;
  DependTable* depends = nullptr;  // null: no child had a depend clause yet
};

// One task of any kind. Implicit tasks lie in their Member, undeferred ones in a frame.
struct Task {
  Icvs icvs;
  // The task that made it. That of an implicit task outlives it; that of a deferred one need not.
  const Task* parent = nullptr;
  Family* family = nullptr;        // null: it had no deferred child yet
  Taskgroup* taskgroup = nullptr;  // the innermost, to which its children belong
  bool final = false;              // all its children are included tasks

  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (family) leave_family();
  }
  bool in_final() const { return final; }
  // Its family, made if need be.
  Family& own_family() { return family ? *family : make_family(); }

 private:
  Family& make_family();
  void leave_family();
};

// The deferred tasks of a team.
struct TaskPool {
  fiber::SpinLock lock;
  ReadyList<ReadyIn::team> ready XYLEM_GUARDED_BY(lock);  // oldest first
  // Sequentially consistent: see barrier.cpp. Incremented before the task can be found; the
  // decrement comes after all that the task wrote, and outside the lock: it may let the team go.
  std::atomic<int> outstanding{0};
  std::atomic<int> queued{0};         // written under the lock; relaxed elsewhere: a hint
  std::atomic<int> open_events{0};    // outstanding tasks with a detach clause; relaxed: a hint
  Taskgroup* region_group = nullptr;  // of a parallel region with task reductions; else null
  fiber::Fiber* loner XYLEM_GUARDED_BY(lock) = nullptr;  // waits in run_all_tasks()

  void open() {}  // before a region: it is as close() left it
  void close();   // after a region, when no task is outstanding
  bool idle() const { return outstanding.load(std::memory_order_seq_cst) == 0; }
  bool has_queued() const { return queued.load(std::memory_order_seq_cst) > 0; }
  // For one who spins, until it is true: has_queued(), but a task alone is left to its maker for
  // some turns, whose taskwait may come for it. `alone` is the caller's, 0 before the first turn.
  bool worth_a_look(int& alone) const {
    const int seen = queued.load(std::memory_order_relaxed);  // relaxed: only a hint
    if (seen == 0) alone = 0;
    return seen > 1 || (seen == 1 && ++alone > 8);
  }

  // Takes a ready task and runs it to its end as `member`; false if there is none. The calling
  // fiber may be suspended meanwhile.
  bool run_one(Member& member) XYLEM_EXCLUDES(lock);
};

// Runs tasks until none of the team is outstanding: the barrier of a team of one.
void run_all_tasks(Member& member);

}  // namespace xylem::omp
