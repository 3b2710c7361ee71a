// XYLEM_MEMORY_POLICY: what it may be, in the order of mem::Placement, and what wrong texts change.
#include <gtest/gtest.h>

#include <string>

#include "mem/map/memory.hpp"
#include "omp/env/setting_parsers.hpp"

namespace xylem::omp {
namespace {

mem::Placement placement_of(const char* text) {
  SettingsValues values;
  values.runtime.memory_placement = mem::Placement::spread;
  EXPECT_EQ(parse_memory_policy(text, values), nullptr) << text;
  return values.runtime.memory_placement;
}

TEST(MemoryPolicySetting, WordsAreThePlacements) {
  EXPECT_EQ(placement_of("default"), mem::Placement::process);
  EXPECT_EQ(placement_of("least-loaded"), mem::Placement::least_loaded);
  EXPECT_EQ(placement_of("first-touch"), mem::Placement::first_touch);
  EXPECT_EQ(placement_of("interleaved"), mem::Placement::interleaved);
  EXPECT_EQ(placement_of("node:3"), mem::Placement::node);
}

TEST(MemoryPolicySetting, ANodeHasANumber) {
  SettingsValues values;
  EXPECT_EQ(parse_memory_policy("node:12", values), nullptr);
  EXPECT_EQ(values.runtime.memory_node, 12);
}

TEST(MemoryPolicySetting, WrongTextsChangeNothing) {
  for (const char* text : {"", "node", "node:", "node:x", "node:-1", "node:4000", "spread", "3"}) {
    SettingsValues values;
    EXPECT_NE(parse_memory_policy(text, values), nullptr) << text;
    EXPECT_EQ(values.runtime.memory_placement, mem::Placement::process) << text;
  }
}

}  // namespace
}  // namespace xylem::omp
