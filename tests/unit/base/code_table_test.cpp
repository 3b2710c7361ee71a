// Records of regions are found again, whatever comes between; of too many some go.
#include "base/code_table.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace xylem::base {
namespace {

struct Record {
  void (*function)(void*) = nullptr;
  int n = 0;
  std::unique_ptr<int> value;
};
using Table = CodeTable<Record>;

// As functions lie in a program: `step` bytes from one to the next.
Table::Function region(int i, uintptr_t step) {
  return reinterpret_cast<Table::Function>(0x555555000000u + static_cast<uintptr_t>(i) * step);
}

// How many of so many regions in turn have the value in the second round that they had in the
// first.
int kept(int regions, uintptr_t step) {
  Table table;
  for (int i = 0; i < regions; ++i)
    table.find_or_make(region(i, step), 4).value = std::make_unique<int>(i);
  int same = 0;
  for (int i = 0; i < regions; ++i) {
    const Record& record = table.find_or_make(region(i, step), 4);
    same += record.value && *record.value == i;
  }
  return same;
}

TEST(CodeTable, FiveHundredRegionsInTurnAreKept) {
  for (const uintptr_t step : {1u, 16u, 48u, 64u, 256u, 4096u, 10007u})
    for (const int regions : {1, 8, 33, 100, 256, 500})
      EXPECT_EQ(kept(regions, step), regions) << step;
}

TEST(CodeTable, OfMoreSomeAre) {
  EXPECT_GT(kept(2000, 64), 250);
  EXPECT_LE(kept(2000, 64), 1024);
}

TEST(CodeTable, ThoseOfAnotherSizeAreOthers) {
  Table table;
  table.find_or_make(region(1, 64), 4).value = std::make_unique<int>(1);
  EXPECT_EQ(table.find(region(1, 64), 5), nullptr);
  EXPECT_FALSE(table.find_or_make(region(1, 64), 5).value);
  ASSERT_NE(table.find(region(1, 64), 4), nullptr);
  EXPECT_TRUE(table.find(region(1, 64), 4)->value);
}

TEST(CodeTable, WhatIsNotThereIsNotMadeByLooking) {
  Table table;
  EXPECT_EQ(table.find(region(1, 64), 4), nullptr);
  EXPECT_EQ(table.find(region(1, 64), 4), nullptr);
}

}  // namespace
}  // namespace xylem::base
