// Paper 004, section IV-C: 1 MB where two processes share a cache of 4 MB, 2 MB where they do not.
#include "topo/copy_threshold.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace xylem::topo;

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

std::unique_ptr<Machine> machine(const char* description) {
  const auto loaded = load_machine(description, false);
  EXPECT_TRUE(loaded.ok()) << description;
  return std::unique_ptr<Machine>(loaded.value());
}

// Its figure 1: two packages, L2 caches of 4 MB shared by two cores.
TEST(CopyThreshold, ThePapersXeon) {
  const auto xeon = machine(XYLEM_SOURCE_DIR "/tests/unit/topo/data/xeon-e5345.xml");
  const CopyThreshold together = copy_threshold(*xeon, 0, 1, 0);
  EXPECT_EQ(together.bytes, 1 * MiB);
  EXPECT_TRUE(together.shared);
  for (const int other : {2, 4}) {
    const CopyThreshold apart = copy_threshold(*xeon, 0, other, 0);
    EXPECT_EQ(apart.bytes, 2 * MiB) << other;
    EXPECT_FALSE(apart.shared);
  }
}

// Caches of 6 MB: half as much again, as the paper saw.
TEST(CopyThreshold, LargerCachesRaiseIt) {
  const auto larger = machine("pack:2 l2:2(size=6291456) core:2 pu:1");
  EXPECT_EQ(copy_threshold(*larger, 0, 1, 0).bytes, 3 * MiB / 2);
  EXPECT_EQ(copy_threshold(*larger, 0, 2, 0).bytes, 3 * MiB);
}

TEST(CopyThreshold, TheLargestSharedCacheDecides) {
  const auto three = machine("pack:2 l3:1(size=16777216) l2:4(size=1048576) core:1 pu:2");
  EXPECT_EQ(copy_threshold(*three, 0, 1, 0).bytes, 4 * MiB) << "one core: its L2 is shared too";
  EXPECT_EQ(copy_threshold(*three, 0, 2, 0).bytes, 4 * MiB);
  EXPECT_EQ(copy_threshold(*three, 0, 8, 0).bytes, 8 * MiB);
  EXPECT_EQ(copy_threshold(*three, 0, 2, 8).bytes, 1 * MiB) << "all cores of a package use it";
  EXPECT_EQ(copy_threshold(*three, 3, 3, 0).bytes, 8 * MiB);
}

TEST(CopyThreshold, OpteronsShareNothing) {
  const auto opteron = machine(XYLEM_SOURCE_DIR "/tests/unit/topo/data/opteron-8218.xml");
  EXPECT_EQ(copy_threshold(*opteron, 0, 1, 0).bytes, 512 * KiB);
  EXPECT_EQ(copy_threshold(*opteron, 0, 7, 0).bytes, 512 * KiB);
}

TEST(CopyThreshold, UnevenCaches) {
  const auto uneven = machine(XYLEM_SOURCE_DIR "/tests/unit/topo/data/asymmetric.xml");
  for (int a = 0; a < uneven->pu_count(); ++a) {
    for (int b = 0; b < uneven->pu_count(); ++b) {
      const CopyThreshold here = copy_threshold(*uneven, a, b, 0);
      EXPECT_EQ(here.bytes, copy_threshold(*uneven, b, a, 0).bytes);
      EXPECT_EQ(here.bytes, here.cache_bytes / (here.shared && a != b ? 4 : 2));
    }
  }
}

TEST(CopyThreshold, NoCacheNoThreshold) {
  const auto bare = machine("pack:2 core:2 pu:1");
  EXPECT_EQ(copy_threshold(*bare, 0, 1, 0).bytes, 0U);
  EXPECT_EQ(copy_threshold(*bare, 0, 1, 0).level, -1);
}

}  // namespace
