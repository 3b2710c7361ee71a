// Devices stand at the level whose PUs are near them.
#include "topo/device_levels.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace xylem::topo {
namespace {

constexpr const char* four_nodes =
    "xml:" XYLEM_SOURCE_DIR "/tests/unit/topo/data/four-nodes-devices.xml";

std::vector<int> levels_in(const char* description, const std::vector<const char*>& addresses) {
  const base::Result<Machine*> made = load_machine(description, true);
  if (!made.ok()) {
    ADD_FAILURE() << description << ": " << made.error().message;
    return {};
  }
  const std::unique_ptr<Machine> machine(made.value());
  return levels_of_devices(*machine, description, addresses);
}

TEST(DeviceLevels, ACardStandsAtItsNode) {
  const base::Result<Machine*> made = load_machine(four_nodes, true);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const std::unique_ptr<Machine> machine(made.value());
  EXPECT_EQ(levels_in(four_nodes, {"0000:a0:00.0", "0000:a1:00.0"}),
            (std::vector<int>{machine->node(1).level, machine->node(3).level}));
}

TEST(DeviceLevels, OneThatAllAreNearStandsAtTheMachine) {
  EXPECT_EQ(levels_in(four_nodes, {"0000:a2:00.0"}), std::vector<int>{0});
}

TEST(DeviceLevels, OneThatIsNotThereToo) {
  EXPECT_EQ(levels_in(four_nodes, {"0000:3b:00.0", "", "no address"}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(levels_in("node:2 core:2 pu:1", {"0000:a0:00.0"}), std::vector<int>{0});
}

// hwloc looks for what this machine has, whatever that is.
TEST(DeviceLevels, ThisMachineIsLookedAt) {
  EXPECT_EQ(levels_in("", {"ffff:ff:1f.7"}), std::vector<int>{0});
}

}  // namespace
}  // namespace xylem::topo
