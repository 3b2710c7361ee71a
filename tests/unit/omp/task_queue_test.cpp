// A queue of ready tasks: its two ends, priorities, picking what is wanted, and what it counts.
#include "omp/tasks/task_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "omp/team/team.hpp"

namespace xylem::omp {
namespace {

class Tasks {
 public:
  explicit Tasks(size_t n) : family_(team_, nullptr, false), tasks_(n) {
    for (ExplicitTask& task : tasks_) {
      task.siblings = &family_;
      family_.counter.begin_one(TaskCounter::State::queued);
    }
  }
  ExplicitTask& operator[](size_t i) { return tasks_[i]; }
  int number(const ExplicitTask* task) const {
    return task ? static_cast<int>(task - tasks_.data()) : -1;
  }
  ChildTasks& child_tasks() { return family_; }
  size_t size() const { return tasks_.size(); }

 private:
  Team team_;
  ChildTasks family_;
  std::vector<ExplicitTask> tasks_;
};

constexpr int kPu = 0;

TEST(TaskQueue, TheMakerTakesTheNewestOthersTheOldest) {
  Tasks tasks(4);
  TaskQueue queue;
  for (size_t i = 0; i < 4; ++i) queue.push(tasks[i]);
  EXPECT_EQ(queue.count(), 4);
  EXPECT_EQ(tasks.number(queue.take_newest(kPu)), 3);
  EXPECT_EQ(tasks.number(queue.take_oldest(kPu)), 0);
  EXPECT_EQ(tasks.number(queue.take_oldest(kPu)), 1);
  EXPECT_EQ(tasks.number(queue.take_newest(kPu)), 2);
  EXPECT_EQ(queue.take_newest(kPu), nullptr);
  EXPECT_EQ(queue.take_oldest(kPu), nullptr);
  EXPECT_EQ(queue.count(), 0);
}

TEST(TaskQueue, TheMostUrgentIsWhereOthersTakeAndEqualsKeepTheirOrder) {
  Tasks tasks(5);
  const int priorities[] = {1, 5, 3, 5, 1};
  TaskQueue queue;
  for (size_t i = 0; i < 5; ++i) {
    tasks[i].priority = priorities[i];
    queue.push(tasks[i]);
  }
  for (const int expected : {1, 3, 2, 0, 4})
    EXPECT_EQ(tasks.number(queue.take_oldest(kPu)), expected);
}

TEST(TaskQueue, WhatIsWantedIsTakenFromTheMidst) {
  Tasks tasks(6);
  TaskQueue queue;
  for (size_t i = 0; i < 6; ++i) queue.push(tasks[i]);
  const auto one_of = [&](int a, int b) {
    return [&tasks, a, b](const ExplicitTask& task) {
      return tasks.number(&task) == a || tasks.number(&task) == b;
    };
  };
  EXPECT_EQ(tasks.number(queue.take_newest_of(one_of(2, 4))), 4);
  EXPECT_EQ(tasks.number(queue.take_oldest_of(one_of(2, 4), 3)), 2);
  EXPECT_EQ(queue.take_oldest_of(one_of(5, 5), 3), nullptr) << "it is the fourth oldest";
  EXPECT_EQ(queue.take_newest_of(one_of(2, 4)), nullptr);
  for (const int expected : {5, 3, 1, 0}) EXPECT_EQ(tasks.number(queue.take_newest(kPu)), expected);
}

TEST(TaskQueue, FamiliesKnowHowManyAreQueued) {
  Tasks tasks(3);
  TaskQueue queue;
  for (size_t i = 0; i < 3; ++i) queue.push(tasks[i]);
  EXPECT_EQ(tasks.child_tasks().counter.queued(), 3u);
  queue.take_newest(kPu);
  EXPECT_EQ(tasks.child_tasks().counter.queued(), 2u);
  EXPECT_EQ(tasks.child_tasks().counter.outstanding(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(tasks.child_tasks().counter.end_one());
  EXPECT_FALSE(tasks.child_tasks().counter.any());
}

TEST(TaskQueue, NoneIsLostOrTakenTwiceBetweenThieves) {
  constexpr size_t kTasks = 20'000;
  Tasks tasks(kTasks);
  TaskQueue queue;
  std::vector<std::atomic<int>> taken(kTasks);
  std::atomic<size_t> left{kTasks};
  const auto note = [&](ExplicitTask* task) {
    if (!task) return;
    taken[static_cast<size_t>(tasks.number(task))].fetch_add(1);
    left.fetch_sub(1);
  };
  std::thread thief([&] {
    while (left.load() > 0) note(queue.take_oldest(kPu));
  });
  for (size_t i = 0; i < kTasks; ++i) {
    queue.push(tasks[i]);
    if (i % 3 == 0) note(queue.take_newest(kPu));
  }
  while (left.load() > 0) note(queue.take_newest(kPu));
  thief.join();
  for (size_t i = 0; i < kTasks; ++i) ASSERT_EQ(taken[i].load(), 1) << "task " << i;
  EXPECT_EQ(queue.count(), 0);
}

TEST(TaskCounter, TheLastToEndKnowsItOnceItIsClosed) {
  TaskCounter tasks;
  tasks.begin_one(TaskCounter::State::blocked);
  tasks.begin_one(TaskCounter::State::blocked);
  EXPECT_FALSE(tasks.end_one());
  EXPECT_FALSE(tasks.close());
  EXPECT_TRUE(tasks.end_one());
  TaskCounter none;
  EXPECT_TRUE(none.close());
}

TEST(TaskCounter, ReasonsToLookAgain) {
  TaskCounter tasks;
  EXPECT_TRUE(tasks.has_reason()) << "none is outstanding";
  tasks.begin_one(TaskCounter::State::blocked);
  EXPECT_FALSE(tasks.has_reason());
  tasks.queue_one();
  EXPECT_TRUE(tasks.has_reason()) << "one is queued";
  tasks.take_one();
  EXPECT_FALSE(tasks.has_reason());
  tasks.tell();
  EXPECT_TRUE(tasks.has_reason()) << "something changed";
  tasks.clear_changed();
  EXPECT_FALSE(tasks.has_reason());
}

}  // namespace
}  // namespace xylem::omp
