// Owns: tasks: what every task carries (Task), what the deferred children of one task share
// (ChildTasks), and a team's deferred tasks (TaskPool). What only deferred ones have:
// task_explicit.hpp.
//
// A deferred task is in this order: blocked (by dependences), ready, running, perhaps detached (its
// body has ended, its event has not come), complete. It stands in one of the team's queues
// (task_queue.hpp) while it is ready, and is counted among its parent's child tasks and by its
// taskgroup (task_counter.hpp). Explicit tasks run on the stack of the fiber that takes them; that
// fiber may be suspended inside and go on on another kernel thread.
//
// No count of a team's tasks is kept, which all that make tasks would have to touch. What a barrier
// needs to know is in the tree of ChildTasks: one is done when its parent has ended, its
// children are complete, and those are done that children left behind unfinished.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/env/icv.hpp"
#include "omp/tasks/task_counter.hpp"

namespace xylem::omp {

namespace tool {
struct TaskRecord;
}

class DependTable;
struct ExplicitTask;
struct Member;
struct ReductionBlock;
struct Taskgroup;
class TaskQueues;
struct Team;

// In a taskwait the parent goes on only when all children are complete; meanwhile it runs tasks, or
// has found none.
enum class ParentIs : uint8_t { going_on, in_taskwait, idle_in_taskwait };

// What the deferred children of one task, the parent, share. It outlives the parent when they do.
//
// references == ChildTasks that children, or undeferred tasks inside the parent, left behind and
// that are not done, plus 1 until the parent has ended and no child is outstanding. Who brings it
// to 0 frees the record. So of a task that is not complete the record that counts it, and all those
// above, live.
struct ChildTasks {
  TaskCounter counter;
  std::atomic<uint32_t> references{1};
  // relaxed: a hint whom to help, and who can help.
  std::atomic<ParentIs> parent{ParentIs::going_on};
  const bool undeferred;    // the parent is an undeferred task, which the one above waits for
  ChildTasks* const above;  // that the parent is counted in, or runs in; null: it is implicit
  Team& team;
  DependTable* depends = nullptr;  // null: no child had a depend clause yet

  ChildTasks(Team& its_team, ChildTasks* its_above, bool of_undeferred)
      : undeferred(of_undeferred), above(its_above), team(its_team) {}
  // Nobody but the parent knows it.
  bool done() const {
    // acquire: what was let go was written before
    return !counter.any() && references.load(std::memory_order_acquire) == 1;
  }
};

// Gives up one reference, and with the last one the record, and then those above likewise.
void release_child_tasks(ChildTasks& child_tasks);

enum class TaskKind : uint8_t { implicit, undeferred, deferred };

// A task's control variables: those of its team, or its parent's, until it writes its own. Most
// tasks never do, so a task that begins copies a pointer. Not to be copied: it may point into
// itself.
class TaskIcvs {
 public:
  TaskIcvs() {}  // NOLINT(modernize-use-equals-default): own_ is written when it is needed
  TaskIcvs(const TaskIcvs&) = delete;
  TaskIcvs& operator=(const TaskIcvs&) = delete;

  // `of_team` lives as long as the task.
  void inherit(const Icvs& of_team) { from_ = &of_team; }
  void inherit(const TaskIcvs& parent) {
    if (parent.from_ == &parent.own_)
      own() = parent.own_;
    else
      from_ = parent.from_;
  }
  const Icvs& operator*() const { return *from_; }
  const Icvs* operator->() const { return from_; }
  Icvs& own() {
    if (from_ != &own_) {
      if (from_) own_ = *from_;
      from_ = &own_;
    }
    return own_;
  }

 private:
  const Icvs* from_ = nullptr;
  union {
    Icvs own_;
  };
};

// One task of any kind. Implicit tasks are in their Member, undeferred ones in a frame, explicit
// and submitted ones in a block of their own.
struct Task {
  TaskIcvs icvs;
  ChildTasks* child_tasks = nullptr;  // null: it has no deferred child, or left them to a barrier
  Taskgroup* taskgroup = nullptr;     // the innermost, to which its children belong
  // Of an undeferred one, in whose frames it runs. Of a submitted one, and only to tell its number.
  Task* creator = nullptr;
  tool::TaskRecord* told;  // what a tool keeps with it; only while tool::on()
  TaskKind kind = TaskKind::implicit;
  bool final = false;  // all its children are included tasks

  Task() {}  // not constexpr: GCC would fill all of it with zeros first
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { leave_family(); }
  // The record of its child tasks, made if need be.
  ChildTasks& own_child_tasks(Team& team) {
    return child_tasks ? *child_tasks : make_child_tasks(team);
  }
  // It ends, or comes to a barrier. Barriers of the team wait for what is left of its children.
  void leave_family() {
    if (child_tasks) leave_children();
  }

 private:
  ChildTasks& make_child_tasks(Team& team);
  void leave_children();
};

// The deferred tasks of a team.
struct TaskPool {
  // Made by who queues the first task (release; acquire). First, in the line that members read when
  // they begin (team.hpp).
  std::atomic<TaskQueues*> queues{nullptr};
  Taskgroup* region_group = nullptr;  // of a parallel region with task reductions; else null
  // Families of implicit tasks that were left and are not done. Sequentially consistent: see
  // barrier.cpp.
  std::atomic<int> left_child_tasks{0};
  // A member that was roused (wake_helper) has not looked yet. Sequentially consistent: who queues
  // a task reads it after that, who was roused looks at the queues after it has cleared it.
  std::atomic<bool> helper_comes{false};
  // So many looks for members that departed without being counted (join.cpp) are still to be made.
  // relaxed: a poll more or less
  std::atomic<uint8_t> unnoticed_polls{0};
  std::atomic<int> open_events{0};  // outstanding tasks with a detach clause; relaxed: a hint
  // Of a team of one: counts what run_all_tasks() may sleep for.
  std::atomic<uint32_t> changes{0};
  // Of members that share a reduction: the blocks of the one that came first (task_combine.hpp).
  std::atomic<ReductionBlock*> shared_reductions[2] = {};

  TaskPool() = default;
  ~TaskPool() { close(); }
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // After a region, when no task is outstanding. relaxed: all members have departed
  void close() {
    if (queues.load(std::memory_order_relaxed) || region_group) free_all();
  }
  void expect_unnoticed() { unnoticed_polls.store(4, std::memory_order_relaxed); }
  bool may_have_unnoticed() const { return unnoticed_polls.load(std::memory_order_relaxed) > 0; }
  void record_unnoticed_poll() {
    const uint8_t left = unnoticed_polls.load(std::memory_order_relaxed);
    if (left > 0) unnoticed_polls.store(static_cast<uint8_t>(left - 1), std::memory_order_relaxed);
  }
  bool idle() const { return left_child_tasks.load(std::memory_order_seq_cst) == 0; }
  // Null: none was made yet.
  TaskQueues* made_queues() const {
    return queues.load(std::memory_order_acquire);  // pairs with make_queues()
  }
  TaskQueues& make_queues(Team& team);  // or somebody else's, who was sooner
  // True if a task is queued: exact for who is about to sleep (task_queue.hpp).
  bool has_queued() const;
  // Takes a ready task and runs it to its end as `member`; false if there is none. The calling
  // fiber may be suspended meanwhile.
  bool run_one(Member& member) {
    TaskQueues* made = made_queues();
    return made != nullptr && run_any(member, *made);
  }
  // The same with a task of the member's own queue, an urgent one, or one of its victim: for who
  // looks at the other queues later (TaskWatch, or run_one before it sleeps).
  bool run_near_one(Member& member) {
    TaskQueues* made = made_queues();
    return made != nullptr && run_near(member, *made);
  }

 private:
  void free_all();
  static bool run_any(Member& member, TaskQueues& made);
  static bool run_near(Member& member, TaskQueues& made);
};

// Runs tasks until none of the team is outstanding: the barrier of a team of one.
void run_all_tasks(Member& member);
// There is something new for one who sleeps in it.
void tell_alone(Team& team);

}  // namespace xylem::omp
