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

TEST(Models, KeysAreApart) {
  hetero::Models models;
  EXPECT_EQ(models.expected(7), 0);
  for (uint64_t key = 1; key <= 1000; ++key)
    for (int run = 0; run < 3; ++run) models.add(key * 64, static_cast<double>(key));
  for (uint64_t key = 1; key <= 1000; ++key)
    EXPECT_EQ(models.expected(key * 64), static_cast<double>(key));
  EXPECT_EQ(models.expected(1), 0);
}

}  // namespace
