// The interval map: regions are found, never overlap, split into parts and go as a whole.
#include "mem/map/regions.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <random>

namespace xylem::mem {
namespace {

Region region(uintptr_t start, size_t bytes, Origin origin = Origin::registered) {
  Region made;
  made.start = start;
  made.bytes = bytes;
  made.origin = origin;
  return made;
}

TEST(Regions, KnowsWhatWasAdded) {
  Regions regions;
  EXPECT_EQ(regions.add(region(100, 50)), 0);
  Region found;
  EXPECT_TRUE(regions.find(100, found));
  EXPECT_EQ(found.bytes, 50u);
  EXPECT_EQ(found.whole, 100u);
  EXPECT_FALSE(regions.find(101, found));
  EXPECT_TRUE(regions.holding(149, found));
  EXPECT_FALSE(regions.holding(150, found));
  EXPECT_FALSE(regions.holding(99, found));
}

TEST(Regions, RefusesWhatOverlaps) {
  Regions regions;
  EXPECT_EQ(regions.add(region(100, 50)), 0);
  for (const auto& [start, bytes] :
       {std::pair<uintptr_t, size_t>{100, 50}, {99, 2}, {149, 1}, {120, 5}, {50, 500}})
    EXPECT_EQ(regions.add(region(start, bytes)), -EEXIST) << start;
  EXPECT_EQ(regions.add(region(150, 1)), 0);
  EXPECT_EQ(regions.add(region(99, 1)), 0);
  EXPECT_EQ(regions.count(), 3);
  EXPECT_EQ(regions.check(), nullptr);
}

TEST(Regions, AddressesThatAreGivenAnewForgetWhatWasThere) {
  Regions regions;
  regions.add(region(100, 100));
  const uintptr_t starts[] = {100, 150};
  EXPECT_EQ(regions.split(100, 2, starts), 0);
  regions.add(region(300, 10));
  EXPECT_EQ(regions.add_in_place(region(160, 100, Origin::mapped)), 0);
  Region found;
  EXPECT_FALSE(regions.find(100, found));  // a whole goes as a whole
  EXPECT_TRUE(regions.find(160, found));
  EXPECT_TRUE(regions.find(300, found));
  EXPECT_EQ(regions.count(), 2);
  EXPECT_EQ(regions.check(), nullptr);
}

TEST(Regions, PartsKeepTheOwnerAndGoWithTheirWhole) {
  Regions regions;
  regions.add(region(1000, 100, Origin::mapped));
  regions.add(region(1100, 100, Origin::mapped));
  regions.set_owner(1000, {OwnerKind::team, 3, 7});
  const uintptr_t starts[] = {1000, 1030, 1060};
  ASSERT_EQ(regions.split(1000, 3, starts), 0);
  const uintptr_t again[] = {1030, 1040};
  ASSERT_EQ(regions.split(1030, 2, again), 0);
  EXPECT_EQ(regions.check(), nullptr);
  Region found;
  ASSERT_TRUE(regions.find(1040, found));
  EXPECT_EQ(found.bytes, 20u);
  EXPECT_EQ(found.whole, 1000u);
  EXPECT_EQ(found.owner.kind, OwnerKind::team);
  EXPECT_EQ(found.owner.identity, 7u);
  EXPECT_EQ(regions.whole_bytes(1000, Origin::mapped), 100u);
  EXPECT_EQ(regions.whole_bytes(1000, Origin::registered), 0u);
  EXPECT_EQ(regions.whole_bytes(1030, Origin::mapped), 0u);
  Region whole;
  EXPECT_FALSE(regions.take(1030, Origin::mapped, whole));
  EXPECT_FALSE(regions.take(1000, Origin::registered, whole));
  EXPECT_TRUE(regions.take(1000, Origin::mapped, whole));
  EXPECT_EQ(whole.bytes, 100u);
  EXPECT_EQ(regions.count(), 1);
  EXPECT_TRUE(regions.find(1100, found));
  EXPECT_EQ(regions.check(), nullptr);
}

TEST(Regions, SplittingWhatIsNotThereChangesNothing) {
  Regions regions;
  regions.add(region(100, 10));
  const uintptr_t starts[] = {200, 205};
  EXPECT_EQ(regions.split(200, 2, starts), -ENOENT);
  EXPECT_EQ(regions.count(), 1);
}

// Against a map that is known to be right.
TEST(Regions, AgreesWithAPlainMapThroughAThousandSteps) {
  Regions regions;
  std::map<uintptr_t, size_t> plain;
  std::mt19937 random(7);
  for (int step = 0; step < 3000; ++step) {
    const uintptr_t start = 1 + random() % 4000;
    const size_t bytes = 1 + random() % 60;
    Region taken;
    if (random() % 3 == 0) {
      EXPECT_EQ(regions.take(start, Origin::registered, taken), plain.erase(start) == 1);
      continue;
    }
    bool is_free = true;
    for (const auto& [other, size] : plain)
      is_free &= start + bytes <= other || other + size <= start;
    EXPECT_EQ(regions.add(region(start, bytes)), is_free ? 0 : -EEXIST);
    if (is_free) plain[start] = bytes;
    ASSERT_EQ(regions.count(), static_cast<int64_t>(plain.size()));
    if (step % 100 == 0) {
      ASSERT_STREQ(regions.check(), nullptr);
    }
  }
  for (const auto& [start, bytes] : plain) {
    Region found;
    ASSERT_TRUE(regions.holding(start + bytes - 1, found));
    EXPECT_EQ(found.start, start);
  }
}

}  // namespace
}  // namespace xylem::mem
