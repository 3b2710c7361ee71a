// Stacks: what was promised is there, the guard is below it, pages come back to the pool.
#include "sched/context/stack.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace xylem::sched {
namespace {

TEST(StackPool, PromisedBytesAreUsable) {
  StackPool pool;
  pool.configure(1 << 20);
  Stack* stack = pool.acquire();
  ASSERT_GE(static_cast<size_t>(stack->high - stack->low), pool.promised());
  std::memset(stack->low, 1, static_cast<size_t>(stack->high - stack->low));
  pool.release(stack, stack->high);
}

TEST(StackPoolDeathTest, BelowTheStackIsAGuard) {
  StackPool pool;
  pool.configure(64 << 10);
  Stack* stack = pool.acquire();
  EXPECT_DEATH({ *static_cast<volatile char*>(stack->low - 1) = 1; }, "");
}

TEST(StackPool, ManyStacksDoNotOverlap) {
  StackPool pool;
  pool.configure(64 << 10);
  std::vector<Stack*> stacks;
  for (int i = 0; i < 3000; ++i) {
    stacks.push_back(pool.acquire());
    std::memcpy(stacks.back()->low, &i, sizeof i);
  }
  for (int i = 0; i < 3000; ++i) {
    int seen;
    std::memcpy(&seen, stacks[static_cast<size_t>(i)]->low, sizeof seen);
    EXPECT_EQ(seen, i);
    pool.release(stacks[static_cast<size_t>(i)], stacks[static_cast<size_t>(i)]->high);
  }
  Stack* again = pool.acquire();
  EXPECT_TRUE(again->in_use);
}

}  // namespace
}  // namespace xylem::sched
