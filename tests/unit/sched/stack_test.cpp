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

TEST(StackPool, StacksOfLoopsAreSmallAndMadeAsTheyAreAskedFor) {
  StackPool pool;
  pool.configure_for_loops();
  EXPECT_TRUE(pool.limited());
  EXPECT_EQ(pool.set_aside(3), 3);
  Stack* stack = pool.acquire();
  EXPECT_TRUE(stack->loop_only);
  EXPECT_EQ(stack->high - stack->low, 256 << 10);
  pool.release(stack, stack->high);
  EXPECT_EQ(pool.acquire(), stack);
}

}  // namespace
}  // namespace xylem::sched
