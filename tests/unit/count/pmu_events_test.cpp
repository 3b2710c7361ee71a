// Events that sample data accesses, from descriptions as Linux gives them of several processors.
#include "count/source/pmu_events.hpp"

#include <gtest/gtest.h>

#include "os/fake_root.hpp"

namespace xylem::count {
namespace {

const std::string devices = "/sys/bus/event_source/devices/";

void describe_intel(os::FakeRoot& root, const std::string& name) {
  const std::string device = devices + name;
  root.write(device + "/type", "4\n")
      .write(device + "/format/event", "config:0-7\n")
      .write(device + "/format/umask", "config:8-15\n")
      .write(device + "/format/ldlat", "config1:0-15\n")
      .write(device + "/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n")
      .write(device + "/events/mem-stores", "event=0xd0,umask=0x82\n");
}

TEST(PmuEvents, IntelsLoadsAndStores) {
  os::FakeRoot root;
  describe_intel(root, "cpu");
  const auto events = memory_events(root.path(), 500);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, 4u);
  EXPECT_EQ(events[0].config[0], 0x1cdu);
  EXPECT_EQ(events[0].config[1], 3u);
  EXPECT_EQ(events[0].rate, 500u);
  EXPECT_FALSE(events[0].has_leader);
  EXPECT_EQ(events[1].config[0], 0x82d0u);
}

TEST(PmuEvents, LaterOnesWantALeader) {
  os::FakeRoot root;
  describe_intel(root, "cpu_core");
  root.write(devices + "cpu_core/events/mem-loads-aux", "event=0x03,umask=0x82\n");
  const auto events = memory_events(root.path(), 1000);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_TRUE(events[0].has_leader);
  EXPECT_EQ(events[0].leader_config, 0x8203u);
  EXPECT_FALSE(events[1].has_leader);
}

TEST(PmuEvents, AmdsOperations) {
  os::FakeRoot root;
  root.write(devices + "cpu/type", "4\n")
      .write(devices + "ibs_op/type", "11\n")
      .write(devices + "ibs_op/format/cnt_ctl", "config:19\n");
  const auto events = memory_events(root.path(), 1000);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, 11u);
  EXPECT_EQ(events[0].config[0], uint64_t{1} << 19);
}

TEST(PmuEvents, NothingIsKnownOfAVirtualMachine) {
  os::FakeRoot root;
  root.write(devices + "software/type", "1\n");
  EXPECT_TRUE(memory_events(root.path(), 1000).empty());
}

TEST(PmuEvents, ATermWithoutItsFormatIsNoEvent) {
  os::FakeRoot root;
  root.write(devices + "cpu/type", "4\n")
      .write(devices + "cpu/events/mem-loads", "event=0xcd,unknown=1\n")
      .write(devices + "cpu/format/event", "config:0-7\n");
  EXPECT_TRUE(memory_events(root.path(), 1000).empty());
}

TEST(PmuEvents, TermsGoWhereTheFormatSays) {
  os::SampledEvent event;
  EXPECT_TRUE(put_term("config:0-7,32-35", 0x5ab, event));
  EXPECT_EQ(event.config[0], 0x5000000abu);
  EXPECT_TRUE(put_term("config2:63", 1, event));
  EXPECT_EQ(event.config[2], uint64_t{1} << 63);
  EXPECT_TRUE(put_term("config1:0-63", ~uint64_t{0}, event));
  EXPECT_EQ(event.config[1], ~uint64_t{0});
  EXPECT_FALSE(put_term("config:0-7", 0x100, event));
  for (const char* bad :
       {"", "config", "config:", "config:9-3", "config:0-64", "config3:0", "config:x"})
    EXPECT_FALSE(put_term(bad, 1, event)) << bad;
}

TEST(PmuEvents, RawOnesOfTheUser) {
  os::SampledEvent event;
  ASSERT_TRUE(parse_event("4:0x1cd:3", event));
  EXPECT_EQ(event.type, 4u);
  EXPECT_EQ(event.config[0], 0x1cdu);
  EXPECT_EQ(event.config[1], 3u);
  EXPECT_EQ(event.rate, 0u);
  ASSERT_TRUE(parse_event("1:2", event));
  for (const char* bad : {"", "4", "4:", ":1", "4:1:", "4:1:2:3", "4:one", "-1:2", "4294967296:1"})
    EXPECT_FALSE(parse_event(bad, event)) << bad;
}

}  // namespace
}  // namespace xylem::count
