// What sampled touches are taken to say of an iteration.
#include "count/source/estimate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xylem::count {
namespace {

Counts touches() { return Counts(Rows::pages_by_threads, 8, 4096); }

TEST(Estimate, ATouchedPageIsReadFromEndToEnd) {
  Counts seen = touches();
  seen.add(100, 3, 2, 0);
  const Counts all = estimate(seen, {});
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at(100, 3).reads, 64u);
}

TEST(Estimate, TouchersShareAPage) {
  Counts seen = touches();
  seen.add(100, 3, 3, 0);
  seen.add(100, 4, 1, 0);
  seen.add(101, 0, 1000, 0);
  seen.add(101, 1, 1, 0);
  const Counts all = estimate(seen, {});
  EXPECT_EQ(all.at(100, 3).reads, 48u);
  EXPECT_EQ(all.at(100, 4).reads, 16u);
  EXPECT_EQ(all.at(101, 1).reads, 1u);  // nobody is forgotten
}

TEST(Estimate, PagesBetweenTwoOfOneThreadAreTheThreads) {
  const PageRange arrays[] = {{100, 50}};
  Counts seen = touches();
  seen.add(110, 3, 1, 0);
  seen.add(120, 3, 5, 0);
  seen.add(130, 4, 1, 0);
  const Counts all = estimate(seen, arrays);
  EXPECT_EQ(all.size(), 12u);
  for (uint64_t page = 110; page <= 120; ++page) EXPECT_EQ(all.at(page, 3).reads, 64u);
  EXPECT_EQ(all.at(130, 4).reads, 64u);
}

TEST(Estimate, ArraysAndGapsEndIt) {
  const PageRange arrays[] = {{100, 50}, {150, 500}};
  Counts seen = touches();
  for (const uint64_t page : {140, 155, 165, 500}) seen.add(page, 3, 1, 0);
  const Counts all = estimate(seen, arrays);
  EXPECT_EQ(all.size(), 4u + 9u);  // 156 to 164: another array lies before, too much after
  Counts shared = touches();
  shared.add(160, 3, 1, 0);
  shared.add(170, 3, 1, 0);
  shared.add(170, 4, 1, 0);
  EXPECT_EQ(estimate(shared, arrays).size(), 3u);  // who has the last page is not one thread
  EXPECT_EQ(estimate(seen, {}).size(), 4u);
}

TEST(Estimate, SamplesOfSeveralIterationsAreOfOne) {
  Counts seen = touches();
  seen.add(100, 3, 800, 400);
  seen.add(101, 4, 0, 3);
  seen.add(102, 5, 3, 3);
  const Counts one = per_iteration(seen, 8);
  EXPECT_EQ(one.at(100, 3).reads, 100u);
  EXPECT_EQ(one.at(100, 3).writes, 50u);
  EXPECT_EQ(one.at(101, 4).writes, 1u);  // what is rare is not forgotten
  EXPECT_EQ(one.at(102, 5).accesses(), 1u);
  EXPECT_EQ(one.rows(), Rows::pages_by_threads);
}

TEST(Estimate, PagesThatAreNobodysAreAllMembersAlike) {
  Counts seen = touches();
  seen.add(100, 0, 1, 0);
  seen.add(101, 0, 1, 1);
  const Counts all = shared_by_all(seen, std::vector<int>{1, 0, 1, 1});
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(all.at(100, 0).reads, 48u);
  EXPECT_EQ(all.at(100, 1).reads, 16u);
  EXPECT_EQ(all.at(101, 0).writes, 48u);
  EXPECT_EQ(all.at(101, 1).writes, 16u);
  EXPECT_EQ(all.at(101, 1).reads, 0u);
  EXPECT_TRUE(shared_by_all(touches(), std::vector<int>{0}).empty());
}

}  // namespace
}  // namespace xylem::count
