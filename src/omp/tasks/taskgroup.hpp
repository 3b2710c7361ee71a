// Owns: taskgroups: which tasks their end waits for, and what is cancelled with them.
//
// The owner starts and ends it; tasks that began in it may read it as long as they are outstanding.
// (Of a parallel region with task reductions the pool owns one that all members share; nobody ends
// it.)
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/tasks/task.hpp"

namespace xylem::omp {

struct ReductionBlock;

struct Taskgroup {
  Taskgroup* enclosing = nullptr;
  ReductionBlock* reductions = nullptr;         // of its construct; null: it has none
  Taskgroup* around_with_reductions = nullptr;  // the nearest around it that has some
  bool workshare = false;  // made by a worksharing construct: cancel means the enclosing one
  TaskCounter tasks;       // that began in it; the owner frees the group when there is none
  // Set by any member, read before a task is created or started. Relaxed: a hint.
  std::atomic<bool> cancelled{false};
};

Taskgroup& taskgroup_start(Member& member);
// Runs tasks of the group until all have ended; then the group is freed.
void taskgroup_end(Member& member);

// The group that `cancel taskgroup` in this group cancels; null if there is none.
inline Taskgroup* cancellable(Taskgroup* group) {
  return group && group->workshare && group->enclosing ? group->enclosing : group;
}

// True if tasks that begin in the group are not to be started.
inline bool is_cancelled(const Taskgroup* group) {
  // relaxed: a hint
  return group && (group->cancelled.load(std::memory_order_relaxed) ||
                   (group->workshare && group->enclosing &&
                    group->enclosing->cancelled.load(std::memory_order_relaxed)));
}

}  // namespace xylem::omp
