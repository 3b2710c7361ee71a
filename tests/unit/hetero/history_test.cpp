// Models of what codelets take.
#include "hetero/model/history.hpp"

#include <gtest/gtest.h>

namespace {

namespace hetero = xylem::hetero;

TEST(Models, TheFirstRunIsDroppedAndTheMedianCounts) {
  hetero::History history;
  EXPECT_EQ(history.median(), 0);
  history.add(1e9);
  EXPECT_EQ(history.median(), 0);
  for (const double ns : {10.0, 12.0, 900.0}) history.add(ns);
  EXPECT_EQ(history.median(), 12);
}

TEST(Models, ADriftIsFollowed) {
  hetero::History history;
  for (int i = 0; i < 100; ++i) history.add(10);
  for (int i = 0; i < 8; ++i) history.add(20);
  EXPECT_EQ(history.median(), 20);
}

TEST(Models, WhatWasRecalledCountsAndTheFirstRunIsDroppedAgain) {
  hetero::History history;
  history.recall(10);
  EXPECT_EQ(history.median(), 10);
  history.add(1e9);
  EXPECT_EQ(history.median(), 10);
  EXPECT_FALSE(history.has_new());
  history.add(30);
  history.add(30);
  EXPECT_EQ(history.median(), 30);
  EXPECT_TRUE(history.has_new());
}

TEST(Models, OnlyWhatHasANameAndWasMeasuredIsToBeKept) {
  hetero::Models models;
  models.recall({1, 0, 8, "old", {5}});
  for (int run = 0; run < 2; ++run) {
    models.add({.key = 2, .kind = 0, .bytes = 16, .codelet = "new"}, 7);
    models.add({.key = 3}, 7);
  }
  models.add({.key = 4, .kind = 0, .bytes = 16, .codelet = "ran once"}, 7);
  const std::vector<hetero::Model> changed = models.changed();
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].codelet.view(), "new");
  EXPECT_EQ(changed[0].bytes, 16u);
  EXPECT_EQ(changed[0].samples, std::vector<double>{7});
  EXPECT_EQ(models.expected(1), 5);
}

TEST(Models, KeysAreApart) {
  hetero::Models models;
  EXPECT_EQ(models.expected(7), 0);
  for (uint64_t key = 1; key <= 1000; ++key)
    for (int run = 0; run < 3; ++run) models.add({.key = key * 64}, static_cast<double>(key));
  for (uint64_t key = 1; key <= 1000; ++key)
    EXPECT_EQ(models.expected(key * 64), static_cast<double>(key));
  EXPECT_EQ(models.expected(1), 0);
}

}  // namespace
