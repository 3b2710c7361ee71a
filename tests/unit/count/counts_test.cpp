// Counts of accesses by row and node: adding, merging, decaying, comparing.
#include "count/table/counts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "plan/random.hpp"

namespace xylem::count {
namespace {

TEST(Counts, AreZeroWhereNothingWasAdded) {
  Counts counts(Rows::pages, 4, 4096);
  EXPECT_TRUE(counts.empty());
  EXPECT_EQ(counts.at(7, 3).accesses(), 0u);
  counts.add(7, 3, 0, 0);
  EXPECT_TRUE(counts.empty());
  EXPECT_TRUE(counts.sorted().empty());
  EXPECT_EQ(counts.accesses(), 0u);
}

TEST(Counts, KeepReadsAndWritesApart) {
  Counts counts(Rows::threads, 2);
  counts.add(5, 1, 3, 0);
  counts.add(5, 1, 0, 4);
  counts.add(5, 0, 1, 1);
  EXPECT_EQ(counts.at(5, 1), (Cell{5, 1, 3, 4}));
  EXPECT_EQ(counts.at(5, 0), (Cell{5, 0, 1, 1}));
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.accesses(), 9u);
}

// Against a std::map, through many growths and with rows far apart.
TEST(Counts, AgreeWithAMap) {
  plan::Random random(3);
  Counts counts(Rows::pages, 8, 4096);
  std::map<std::pair<uint64_t, int>, std::pair<uint64_t, uint64_t>> model;
  for (int i = 0; i < 20000; ++i) {
    const auto near = static_cast<uint64_t>(random.below(2000));
    const uint64_t row = random.below(2) == 0 ? near : UINT64_MAX - near * 4096;
    const int node = random.below(8);
    const auto reads = static_cast<uint64_t>(random.below(5));
    const auto writes = static_cast<uint64_t>(random.below(3));
    counts.add(row, node, reads, writes);
    if (reads + writes == 0) continue;
    auto& [all_reads, all_writes] = model[{row, node}];
    all_reads += reads;
    all_writes += writes;
  }
  const std::vector<Cell> cells = counts.sorted();
  ASSERT_EQ(cells.size(), model.size());
  ASSERT_EQ(counts.size(), model.size());
  std::size_t i = 0;
  for (const auto& [key, sums] : model) {
    const Cell expected{key.first, key.second, sums.first, sums.second};
    EXPECT_EQ(cells[i++], expected);
    EXPECT_EQ(counts.at(key.first, key.second), expected);
  }
}

TEST(Counts, MergedAreAsIfCountedTogether) {
  plan::Random random(9);
  Counts together(Rows::pages, 4, 4096), one(Rows::pages, 4, 4096), other(Rows::pages, 4, 4096);
  for (int i = 0; i < 3000; ++i) {
    const auto row = static_cast<uint64_t>(random.below(200));
    const int node = random.below(4);
    together.add(row, node, 2, 1);
    (random.below(2) == 0 ? one : other).add(row, node, 2, 1);
  }
  ASSERT_TRUE(one.merge(other));
  EXPECT_EQ(one.sorted(), together.sorted());
  ASSERT_TRUE(other.merge(other));
  EXPECT_EQ(other.accesses() % 2, 0u);
}

TEST(Counts, OfDifferentThingsAreNotMerged) {
  Counts counts(Rows::pages, 4, 4096);
  counts.add(1, 1, 1, 1);
  for (const Counts& other : {Counts(Rows::threads, 4, 4096), Counts(Rows::pages, 2, 4096),
                              Counts(Rows::pages, 4, 65536)}) {
    Counts filled = other;
    filled.add(1, 1, 5, 5);
    EXPECT_FALSE(counts.merge(filled));
    EXPECT_EQ(difference(counts, filled), 1);
  }
  EXPECT_EQ(counts.accesses(), 2u);
}

TEST(Counts, StopAtTheMost) {
  Counts counts(Rows::pages, 1, 4096);
  for (int i = 0; i < 3; ++i) counts.add(1, 0, most_accesses, UINT64_MAX);
  EXPECT_EQ(counts.at(1, 0), (Cell{1, 0, most_accesses, most_accesses}));
  Counts other = counts;
  ASSERT_TRUE(counts.merge(other));
  ASSERT_TRUE(counts.merge(counts));
  EXPECT_EQ(counts.at(1, 0).reads, most_accesses);
  for (uint64_t row = 2; row < 12; ++row) counts.add(row, 0, most_accesses, most_accesses);
  EXPECT_EQ(counts.accesses(), UINT64_MAX);
}

TEST(Counts, DecayUntilTheyAreForgotten) {
  Counts counts(Rows::pages, 2, 4096);
  counts.add(1, 0, 8, 3);
  counts.add(2, 1, 1, 0);
  counts.decay(0);
  EXPECT_EQ(counts.size(), 2u);
  counts.decay(1);
  EXPECT_EQ(counts.sorted(), (std::vector<Cell>{{1, 0, 4, 1}}));
  counts.decay(2);
  EXPECT_EQ(counts.sorted(), (std::vector<Cell>{{1, 0, 1, 0}}));
  counts.add(3, 0, most_accesses, 0);
  counts.decay(100);
  EXPECT_TRUE(counts.empty());
  counts.add(4, 1, 1, 0);  // and counts again
  EXPECT_EQ(counts.accesses(), 1u);
}

TEST(Counts, DifferByTheShareThatLiesElsewhere) {
  Counts one(Rows::pages, 2, 4096), other(Rows::pages, 2, 4096);
  EXPECT_EQ(difference(one, other), 0);
  one.add(1, 0, 60, 0);
  EXPECT_EQ(difference(one, other), 1);
  one.add(2, 1, 0, 40);
  other.add(1, 0, 0, 600);
  other.add(2, 1, 400, 0);
  EXPECT_DOUBLE_EQ(difference(one, other), 0);  // ten times as many, in the same places
  other.clear();
  other.add(1, 0, 1, 0);
  EXPECT_DOUBLE_EQ(difference(one, other), 0.4);
  EXPECT_DOUBLE_EQ(difference(other, one), 0.4);
  other.clear();
  other.add(1, 1, 1, 0);
  EXPECT_DOUBLE_EQ(difference(one, other), 1);
}

}  // namespace
}  // namespace xylem::count
