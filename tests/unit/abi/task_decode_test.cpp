// What GCC 12 passes to GOMP_task and GOMP_taskloop, and what omp/ is asked for.
#include "abi/gomp/task_decode.hpp"

#include <gtest/gtest.h>

namespace xylem {
namespace {

void body(void*) {}
void copy(void*, void*) {}

omp::TaskRequest task(unsigned flags, bool if_clause = true, int priority = 0) {
  return abi::task_request(body, nullptr, nullptr, 0, 1, if_clause, flags, priority);
}

omp::LoopOfTasks loop(unsigned flags, unsigned long amount) {
  return abi::loop_of_tasks(flags, amount, omp::signed_space(0, 10, 1));
}

TEST(TaskRequest, ArgumentsAreAsTheyCome) {
  long arguments[3];
  const auto request = abi::task_request(body, arguments, copy, 24, 8, true, 0, 0);
  EXPECT_EQ(request.function, body);
  EXPECT_EQ(request.data, arguments);
  EXPECT_EQ(request.copy, copy);
  EXPECT_EQ(request.size, 24u);
  EXPECT_EQ(request.alignment, 8u);
}

TEST(TaskRequest, NoFlagAsksForNothing) {
  const auto request = task(0);
  EXPECT_FALSE(request.undeferred);
  EXPECT_FALSE(request.final);
  EXPECT_EQ(request.priority, 0);
  EXPECT_TRUE(request.dependences.empty());
  EXPECT_EQ(request.event, nullptr);
  EXPECT_EQ(request.range, nullptr);
}

// GOMP_TASK_FLAG_UNTIED, 1, and _MERGEABLE, 4, change nothing.
TEST(TaskRequest, FlagsOfTheClauses) {
  EXPECT_TRUE(task(2).final);
  EXPECT_FALSE(task(1 | 4).final);
  EXPECT_TRUE(task(0, false).undeferred);
  EXPECT_EQ(task(16, true, 7).priority, 7);
}

// GCC before 5 passes no priority: what stands in its place is anything.
TEST(TaskRequest, PriorityWithoutItsFlagIsNone) { EXPECT_EQ(task(0, true, 1234).priority, 0); }

// The if clause of a taskloop is a flag: GOMP_TASK_FLAG_IF.
TEST(TaskloopRequest, IfIsAFlag) {
  EXPECT_FALSE(abi::taskloop_request(body, nullptr, nullptr, 16, 8, 1024, 0).undeferred);
  EXPECT_TRUE(abi::taskloop_request(body, nullptr, nullptr, 16, 8, 0, 0).undeferred);
}

TEST(TaskloopRequest, RangeIsFirstInTheArguments) {
  const auto request = abi::taskloop_request(body, nullptr, nullptr, 24, 8, 1024, 0);
  long arguments[3] = {1, 2, 3};
  request.range_at.put(arguments, {static_cast<uint64_t>(-5), 100});
  EXPECT_EQ(arguments[0], -5);
  EXPECT_EQ(arguments[1], 100);
  EXPECT_EQ(arguments[2], 3);
}

TEST(LoopOfTasks, FlagsOfTheClauses) {
  EXPECT_TRUE(loop(0, 0).grouped);
  EXPECT_FALSE(loop(1 << 11, 0).grouped);
  EXPECT_FALSE(loop(0, 5).by_grainsize);
  EXPECT_EQ(loop(0, 5).amount, 5u);
  EXPECT_TRUE(loop(1 << 9, 5).by_grainsize);
  EXPECT_FALSE(loop(1 << 9, 5).strict);
  EXPECT_TRUE(loop(1 << 9 | 1 << 14, 5).strict);
  EXPECT_EQ(loop(0, 0).space.count, 10u);
}

}  // namespace
}  // namespace xylem
