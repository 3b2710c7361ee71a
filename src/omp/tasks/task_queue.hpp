// Owns: queues of ready tasks. A team has one for each worker that its members can keep busy, and
// one for tasks with a priority; they are made when the first task is queued.
//
// Who creates a task puts it into its own queue and takes the newest first (depth first, what it
// touched last); others take the oldest (most often the largest part of the work). In the queue of
// those with a priority the most urgent stand where others take.
// Conservation: count() == length of the list whenever the lock is free; a task stands in one
// queue at most, and is counted as queued among its siblings and its taskgroup as long as it does.
#pragma once

#include <atomic>

#include "base/spin_lock.hpp"
#include "omp/tasks/steal_pace.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

// A task that was taken from another member's queue.
struct Stolen {
  ExplicitTask* task = nullptr;  // null: there was none
  uint64_t begun = 0;            // ticks, with the queue's lock held: others' turns do not count
  uint64_t taken = 0;
};

class alignas(64) TaskQueue {
 public:
  // Exact under the lock, else a hint. Sequentially consistent, as the increment is: who queues a
  // task increments it and then looks for sleepers, who is about to sleep the other way round.
  int count() const { return count_.load(std::memory_order_seq_cst); }
  int count_relaxed() const { return count_.load(std::memory_order_relaxed); }
  // Tasks that ever were queued here. relaxed: tells a poll from the one before
  uint32_t pushes() const { return pushes_.load(std::memory_order_relaxed); }

  void push(ExplicitTask& task) XYLEM_EXCLUDES(lock_);
  // Null if there is none. Of the first few that are as urgent, one whose data is near PU `pu`.
  ExplicitTask* take_newest(int pu) XYLEM_EXCLUDES(lock_);
  ExplicitTask* take_oldest(int pu) XYLEM_EXCLUDES(lock_);
  // As take_oldest().
  Stolen steal(int pu) XYLEM_EXCLUDES(lock_);

  // The newest that is wanted; null if there is none.
  template <class Wanted>
  ExplicitTask* take_newest_of(const Wanted& wanted) XYLEM_EXCLUDES(lock_) {
    if (count_relaxed() == 0) return nullptr;
    base::Locked locked(lock_);
    ExplicitTask* task = newest_;
    while (task && !wanted(*task)) task = task->older;
    if (task) take_out(*task);
    return task;
  }
  // The oldest that is wanted of the `most` oldest.
  template <class Wanted>
  ExplicitTask* take_oldest_of(const Wanted& wanted, int most) XYLEM_EXCLUDES(lock_) {
    if (count_relaxed() == 0) return nullptr;
    base::Locked locked(lock_);
    ExplicitTask* task = oldest_;
    while (task && !wanted(*task)) task = --most > 0 ? task->newer : nullptr;
    if (task) take_out(*task);
    return task;
  }

 private:
  using End = ExplicitTask* TaskQueue::*;
  using Link = ExplicitTask* ExplicitTask::*;
  ExplicitTask* take_from(End end, Link next, int pu) XYLEM_EXCLUDES(lock_);
  ExplicitTask* take_near(ExplicitTask* first, Link next, int pu) XYLEM_REQUIRES(lock_);
  void take_out(ExplicitTask& task) XYLEM_REQUIRES(lock_);

  base::SpinLock lock_{{40, "TaskQueue::lock_"}};
  std::atomic<int> count_{0};
  std::atomic<uint32_t> pushes_{0};  // written under the lock
  ExplicitTask* newest_ XYLEM_GUARDED_BY(lock_) = nullptr;
  ExplicitTask* oldest_ XYLEM_GUARDED_BY(lock_) = nullptr;
};

// All queues of a team, in one block: |TaskQueues|size queues|.
class TaskQueues {
 public:
  // `a_node`: as many neighbours belong to one memory node.
  static TaskQueues& make(int size, int a_node);
  void free();

  int size() const { return size_; }
  int a_node() const { return a_node_; }
  TaskQueue& at(int i) { return reinterpret_cast<TaskQueue*>(this + 1)[i]; }
  // The number of the caller's.
  int number_of(const Member& member) const { return lane_of(member, size_); }
  TaskQueue& of(const Member& member) { return at(number_of(member)); }
  TaskQueue urgent;

  // All of them by number, the urgent one last.
  int any_count() const { return size_ + 1; }
  TaskQueue& any(int i) { return i < size_ ? at(i) : urgent; }

  // True if nobody watched: then the caller does, from queue `from` on (task_watch.hpp).
  // relaxed: who sleeps does not rely on it
  bool begin_watch(int& from) {
    int seen = watched_.watch.load(std::memory_order_relaxed);
    if (seen < 0 || !watched_.watch.compare_exchange_strong(seen, -1, std::memory_order_relaxed))
      return false;
    from = seen;
    return true;
  }
  void end_watch(int from) { watched_.watch.store(from, std::memory_order_relaxed); }
  StealPace& pace() { return watched_.pace; }

 private:
  TaskQueues(int size, int a_node) : size_(size), a_node_(a_node) {}
  static size_t bytes_for(int size) {
    return sizeof(TaskQueues) + static_cast<size_t>(size) * sizeof(TaskQueue);
  }
  int size_;
  int a_node_;
  // By those who wait; who makes tasks reads the line above.
  struct alignas(64) Watched {
    std::atomic<int> watch{0};  // -1: a member watches; else the queue to begin with
    StealPace pace;
  };
  Watched watched_;
};

}  // namespace xylem::omp
