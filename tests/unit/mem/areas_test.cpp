// The interval map: areas are found, never overlap, split into parts and go as a whole.
#include "mem/map/areas.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <random>

namespace xylem::mem {
namespace {

Area area(uintptr_t start, size_t bytes, Origin origin = Origin::registered) {
  Area made;
  made.start = start;
  made.bytes = bytes;
  made.origin = origin;
  return made;
}

TEST(Areas, KnowsWhatWasAdded) {
  Areas areas;
  EXPECT_EQ(areas.add(area(100, 50)), 0);
  Area found;
  EXPECT_TRUE(areas.find(100, found));
  EXPECT_EQ(found.bytes, 50u);
  EXPECT_EQ(found.whole, 100u);
  EXPECT_FALSE(areas.find(101, found));
  EXPECT_TRUE(areas.holding(149, found));
  EXPECT_FALSE(areas.holding(150, found));
  EXPECT_FALSE(areas.holding(99, found));
}

TEST(Areas, RefusesWhatOverlaps) {
  Areas areas;
  EXPECT_EQ(areas.add(area(100, 50)), 0);
  for (const auto& [start, bytes] :
       {std::pair<uintptr_t, size_t>{100, 50}, {99, 2}, {149, 1}, {120, 5}, {50, 500}})
    EXPECT_EQ(areas.add(area(start, bytes)), -EEXIST) << start;
  EXPECT_EQ(areas.add(area(150, 1)), 0);
  EXPECT_EQ(areas.add(area(99, 1)), 0);
  EXPECT_EQ(areas.count(), 3);
  EXPECT_EQ(areas.check(), nullptr);
}

TEST(Areas, AddressesThatAreGivenAnewForgetWhatWasThere) {
  Areas areas;
  areas.add(area(100, 100));
  const uintptr_t starts[] = {100, 150};
  EXPECT_EQ(areas.split(100, 2, starts), 0);
  areas.add(area(300, 10));
  EXPECT_EQ(areas.add_in_place(area(160, 100, Origin::mapped)), 0);
  Area found;
  EXPECT_FALSE(areas.find(100, found));  // a whole goes as a whole
  EXPECT_TRUE(areas.find(160, found));
  EXPECT_TRUE(areas.find(300, found));
  EXPECT_EQ(areas.count(), 2);
  EXPECT_EQ(areas.check(), nullptr);
}

TEST(Areas, PartsKeepTheOwnerAndGoWithTheirWhole) {
  Areas areas;
  areas.add(area(1000, 100, Origin::mapped));
  areas.add(area(1100, 100, Origin::mapped));
  areas.set_owner(1000, {OwnerKind::team, 3, 7});
  const uintptr_t starts[] = {1000, 1030, 1060};
  ASSERT_EQ(areas.split(1000, 3, starts), 0);
  const uintptr_t again[] = {1030, 1040};
  ASSERT_EQ(areas.split(1030, 2, again), 0);
  EXPECT_EQ(areas.check(), nullptr);
  Area found;
  ASSERT_TRUE(areas.find(1040, found));
  EXPECT_EQ(found.bytes, 20u);
  EXPECT_EQ(found.whole, 1000u);
  EXPECT_EQ(found.owner.kind, OwnerKind::team);
  EXPECT_EQ(found.owner.identity, 7u);
  EXPECT_EQ(areas.whole_bytes(1000, Origin::mapped), 100u);
  EXPECT_EQ(areas.whole_bytes(1000, Origin::registered), 0u);
  EXPECT_EQ(areas.whole_bytes(1030, Origin::mapped), 0u);
  Area whole;
  EXPECT_FALSE(areas.take(1030, Origin::mapped, whole));
  EXPECT_FALSE(areas.take(1000, Origin::registered, whole));
  EXPECT_TRUE(areas.take(1000, Origin::mapped, whole));
  EXPECT_EQ(whole.bytes, 100u);
  EXPECT_EQ(areas.count(), 1);
  EXPECT_TRUE(areas.find(1100, found));
  EXPECT_EQ(areas.check(), nullptr);
}

TEST(Areas, SplittingWhatIsNotThereChangesNothing) {
  Areas areas;
  areas.add(area(100, 10));
  const uintptr_t starts[] = {200, 205};
  EXPECT_EQ(areas.split(200, 2, starts), -ENOENT);
  EXPECT_EQ(areas.count(), 1);
}

// Against a map that is known to be right.
TEST(Areas, AgreesWithAPlainMapThroughAThousandSteps) {
  Areas areas;
  std::map<uintptr_t, size_t> plain;
  std::mt19937 random(7);
  for (int step = 0; step < 3000; ++step) {
    const uintptr_t start = 1 + random() % 4000;
    const size_t bytes = 1 + random() % 60;
    Area taken;
    if (random() % 3 == 0) {
      EXPECT_EQ(areas.take(start, Origin::registered, taken), plain.erase(start) == 1);
      continue;
    }
    bool is_free = true;
    for (const auto& [other, size] : plain)
      is_free &= start + bytes <= other || other + size <= start;
    EXPECT_EQ(areas.add(area(start, bytes)), is_free ? 0 : -EEXIST);
    if (is_free) plain[start] = bytes;
    ASSERT_EQ(areas.count(), static_cast<int64_t>(plain.size()));
    if (step % 100 == 0) {
      ASSERT_STREQ(areas.check(), nullptr);
    }
  }
  for (const auto& [start, bytes] : plain) {
    Area found;
    ASSERT_TRUE(areas.holding(start + bytes - 1, found));
    EXPECT_EQ(found.start, start);
  }
}

}  // namespace
}  // namespace xylem::mem
