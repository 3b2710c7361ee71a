// Which pieces leave a full node.
#include "hetero/data/reclaim.hpp"

#include <gtest/gtest.h>

namespace {

using xylem::hetero::choose_victims;
using xylem::hetero::Held;
using xylem::hetero::Leaving;
using Victims = std::vector<size_t>;

TEST(Reclaim, OldContentsThenCleanThenDirty) {
  const Held held[] = {{10, Leaving::dirty, 1}, {10, Leaving::clean, 2}, {10, Leaving::empty, 3}};
  EXPECT_EQ(choose_victims(held, 5), Victims({2}));
  EXPECT_EQ(choose_victims(held, 11), Victims({2, 1}));
  EXPECT_EQ(choose_victims(held, 30), Victims({2, 1, 0}));
}

TEST(Reclaim, TheLeastRecentlyUsedFirst) {
  const Held held[] = {{10, Leaving::clean, 7}, {10, Leaving::clean, 3}, {10, Leaving::clean, 5}};
  EXPECT_EQ(choose_victims(held, 15), Victims({1, 2}));
}

TEST(Reclaim, WhatIsPinnedStays) {
  const Held held[] = {{10, Leaving::empty, 1, true}, {10, Leaving::dirty, 2}};
  EXPECT_EQ(choose_victims(held, 5), Victims({1}));
  EXPECT_EQ(choose_victims(held, 11), Victims());
}

TEST(Reclaim, NobodyLeavesForNothing) {
  const Held held[] = {{10, Leaving::empty, 1}};
  EXPECT_EQ(choose_victims(held, 0), Victims());
}

}  // namespace
