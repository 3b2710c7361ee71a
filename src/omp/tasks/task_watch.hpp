// Owns: how members that wait in place learn of tasks. One of them watches the queues for all: each
// poll is a cache line of somebody who works. Who watches and finds a task takes it, and another
// goes on from that queue. During a rest (steal_pace.hpp) nobody looks.
#pragma once

#include "omp/tasks/task_queue.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

class TaskWatch {
 public:
  explicit TaskWatch(Member& member) : member_(member) {}
  ~TaskWatch() {
    if (watched_) watched_->end_watch(at_);
  }
  TaskWatch(const TaskWatch&) = delete;
  TaskWatch& operator=(const TaskWatch&) = delete;

  // One turn. True if there is a task to take: member.victim says where.
  bool sees_one() {
    if ((!watched_ && !begins()) || watched_->pace().rests_now()) return false;
    const TaskQueue& queue = watched_->any(at_);
    const int count = queue.count_relaxed();
    if (count > 1 || (count == 1 && is_left_alone(queue))) {
      member_.victim = static_cast<int16_t>(at_);
      return true;
    }
    if (count == 0) next();
    return false;
  }

 private:
  // Its maker may come for a task that stands alone: most taskwaits do at once.
  static constexpr int polls_of_one = 8;

  bool begins() {
    TaskQueues* made = member_.team->tasks.made_queues();
    if (!made || !made->begin_watch(at_)) return false;
    watched_ = made;
    return true;
  }
  void next() {
    at_ = at_ + 1 < watched_->any_count() ? at_ + 1 : 0;
    alone_ = 0;
  }
  // Goes on to the next queue where tasks come and go.
  bool is_left_alone(const TaskQueue& queue) {
    const uint32_t pushes = queue.pushes();
    if (alone_ == 0) seen_pushes_ = pushes;
    if (pushes == seen_pushes_) return ++alone_ > polls_of_one;
    next();
    return false;
  }

  Member& member_;
  TaskQueues* watched_ = nullptr;  // null: somebody else watches
  int at_ = 0;                     // the queue it looks at
  int alone_ = 0;                  // looks that saw one task there
  uint32_t seen_pushes_ = 0;
};

}  // namespace xylem::omp
