// Machines of every shape keep Machine's invariants and answer as drawn.
#include "topo/machine.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace xylem::topo {
namespace {

std::unique_ptr<Machine> draw(std::string_view description) {
  const base::Result<Machine*> made = load_machine(description, true);
  if (!made.ok()) {
    ADD_FAILURE() << description << ": " << made.error().message;
    return nullptr;
  }
  return std::unique_ptr<Machine>(made.value());
}

std::string outline(const Machine& machine, std::span<const Level> levels, int at = 0) {
  const Level& level = levels[static_cast<std::size_t>(at)];
  std::string text = kind_name(level.kind);
  if (level.cache_depth != 0) text += std::to_string(level.cache_depth);
  if (level.child_count == 0) return text;
  text += "(";
  for (int child = 0; child < level.child_count; ++child) {
    if (child != 0) text += " ";
    text += outline(machine, levels, level.first_child + child);
  }
  return text + ")";
}

TEST(Machine, TwoPackagesKeepTheNodesNotThePackages) {
  const auto machine = draw("pack:2 [numa] core:2 pu:1");
  EXPECT_EQ(machine->check(), nullptr);
  EXPECT_EQ(outline(*machine, machine->levels()), "machine(node(pu pu) node(pu pu))");
  EXPECT_EQ(outline(*machine, machine->full_levels()),
            "machine(package(node(core(pu) core(pu))) package(node(core(pu) core(pu))))");
  EXPECT_TRUE(machine->synthetic());
}

TEST(Machine, SeveralNodesInAPackageAreLevelsBelowIt) {
  const auto machine = draw("pack:2 group:2 [numa] core:2 pu:2");
  EXPECT_EQ(machine->check(), nullptr);
  EXPECT_EQ(machine->node_count(), 4);
  const Level& package = machine->levels()[1];
  EXPECT_EQ(package.kind, LevelKind::package);
  const Level& node = machine->levels()[static_cast<std::size_t>(package.first_child)];
  EXPECT_EQ(node.kind, LevelKind::node);
  EXPECT_EQ(node.os_index, 0);
  EXPECT_EQ(node.pu_count, 4);
}

TEST(Machine, CommonLevelIsTheLowestThatHoldsBoth) {
  const auto machine = draw("pack:2 [numa] l3:2 core:2 pu:2");
  const auto kind = [&](int a, int b) {
    return machine->levels()[static_cast<std::size_t>(machine->common_level(a, b))].kind;
  };
  EXPECT_EQ(kind(3, 3), LevelKind::pu);
  EXPECT_EQ(kind(0, 1), LevelKind::core);
  EXPECT_EQ(kind(0, 2), LevelKind::cache);
  EXPECT_EQ(kind(0, 4), LevelKind::node);
  EXPECT_EQ(kind(7, 8), LevelKind::machine);
  EXPECT_EQ(machine->common_level(2, 9), machine->common_level(9, 2));
}

TEST(Machine, NodesKnowTheirPus) {
  const auto machine = draw("numa:4 core:2 pu:2");
  for (int pu = 0; pu < machine->pu_count(); ++pu) {
    EXPECT_EQ(machine->pu_node(pu), pu / 4);
    EXPECT_EQ(machine->pu_of_os_index(machine->pu_os_index(pu)), pu);
  }
  EXPECT_EQ(machine->node_of_os_index(3), 3);
  EXPECT_EQ(machine->node_of_os_index(4), -1);
}

TEST(Machine, OnePuStillHasARootAndALeaf) {
  const auto machine = draw("pu:1");
  EXPECT_EQ(machine->check(), nullptr);
  EXPECT_EQ(outline(*machine, machine->levels()), "machine(pu)");
  EXPECT_EQ(machine->common_level(0, 0), machine->pu_level(0));
}

TEST(Machine, OsIndexesFollowTheDrawing) {
  const auto machine = draw("core:2 pu:2(indexes=0,2,1,3)");
  EXPECT_EQ(machine->check(), nullptr);
  EXPECT_EQ(machine->pu_os_index(1), 2);
  EXPECT_EQ(machine->pu_os_index(2), 1);
}

class Drawing : public testing::TestWithParam<const char*> {};

TEST_P(Drawing, KeepsTheInvariants) {
  const auto machine = draw(GetParam());
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(machine->check(), nullptr);
  EXPECT_LE(machine->levels().size(), machine->full_levels().size());
  for (const Level& level : machine->levels()) {
    EXPECT_TRUE(level.parent < 0 || level.child_count != 1) << GetParam();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Drawing,
                         testing::Values("pu:1", "pu:2", "core:1 pu:2", "numa:64 pu:2",
                                         "pack:1 core:8 pu:1", "numa:8 l3:2 l2:4 l1:1 core:1 pu:2",
                                         "pack:2 [numa] [numa] core:4 pu:2", "pu:1024",
                                         "group:2 group:2 die:2 [numa] core:2 pu:4",
                                         "[numa] pack:3 l3:1 core:5 pu:3", "pack:16 [numa] pu:1"));

TEST(Machine, AsymmetricXmlKeepsTheInvariants) {
  const auto machine = draw(XYLEM_SOURCE_DIR "/tests/unit/topo/data/asymmetric.xml");
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(machine->check(), nullptr);
  EXPECT_EQ(outline(*machine, machine->levels()),
            "machine(node(core(pu pu) core(pu pu) pu) node(pu pu) pu)");
  EXPECT_EQ(machine->node_count(), 3);
}

TEST(Machine, DistancesAndAttributesComeFromTheXml) {
  const auto machine = draw("xml:" XYLEM_SOURCE_DIR "/tests/unit/topo/data/four-nodes.xml");
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(machine->check(), nullptr);
  ASSERT_TRUE(machine->has_distances());
  EXPECT_EQ(machine->distance(0, 0), 10U);
  EXPECT_EQ(machine->distance(0, 1), 16U);
  EXPECT_EQ(machine->distance(0, 3), 22U);
  EXPECT_EQ(machine->bandwidth_mib(1, 1), 12000U);
  EXPECT_EQ(machine->bandwidth_mib(0, 1), 6000U);
  EXPECT_EQ(machine->latency_ns(2, 2), 90U);
}

TEST(Machine, BanksThatShareTheirPusShareALevel) {
  const auto machine = draw("pack:2 [numa] [numa] core:4 pu:1");
  ASSERT_EQ(machine->node_count(), 4);
  EXPECT_EQ(machine->node(0).level, machine->node(1).level);
  EXPECT_NE(machine->node(0).level, machine->node(2).level);
  EXPECT_EQ(machine->pu_node(0), 0);
  EXPECT_EQ(machine->pu_node(7), 2);
}

TEST(Machine, BadDescriptionsAreErrorsNotCrashes) {
  for (const char* bad : {"rubbish", "pack:", "pu:0", "pack:2 [numa", "xml:", "/no/such/file.xml",
                          "xml:/dev/null", "core:-1 pu:2"}) {
    const base::Result<Machine*> made = load_machine(bad, true);
    EXPECT_FALSE(made.ok()) << bad;
    if (made.ok()) {
      delete made.value();
    } else {
      EXPECT_GT(std::string(made.error().message).size(), 10U);
    }
  }
  const std::string endless(10000, 'x');
  EXPECT_FALSE(load_machine(endless, true).ok());
}

TEST(Machine, MissingXmlSaysSo) {
  const base::Result<Machine*> made = load_machine("/no/such/file.xml", true);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ENOENT);
}

TEST(Machine, ThisMachineHoldsWhatIsAllowed) {
  const auto allowed = draw("");
  ASSERT_NE(allowed, nullptr);
  EXPECT_EQ(allowed->check(), nullptr);
  EXPECT_FALSE(allowed->synthetic());
  const base::Result<Machine*> made = load_machine("", false);
  ASSERT_TRUE(made.ok());
  const std::unique_ptr<Machine> whole(made.value());
  EXPECT_EQ(whole->check(), nullptr);
  int usable = 0;
  for (const Pu& pu : whole->pus()) usable += pu.allowed ? 1 : 0;
  EXPECT_EQ(usable, allowed->pu_count());
}

TEST(Machine, LoadingLeavesTheEnvironmentAlone) {
  char** const before = environ;
  const auto machine = draw("");
  EXPECT_EQ(environ, before);
  EXPECT_EQ(std::getenv("HWLOC_PLUGINS_PATH"), nullptr);
}

TEST(Machine, LoadingIsQuick) {
  const auto start = std::chrono::steady_clock::now();
  const auto machine = draw("");
  const auto spent = std::chrono::steady_clock::now() - start;
  RecordProperty(
      "microseconds",
      static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()));
  EXPECT_LT(spent, std::chrono::milliseconds(500));  // 1 ms at rest; generous to a loaded machine
}

TEST(UsableThreads, IsTheLeastOfProcessorsAndQuota) {
  EXPECT_EQ(usable_threads(8, 0), 8);
  EXPECT_EQ(usable_threads(8, -1), 8);
  EXPECT_EQ(usable_threads(8, 2), 2);
  EXPECT_EQ(usable_threads(8, 2.5), 3);
  EXPECT_EQ(usable_threads(8, 0.1), 1);
  EXPECT_EQ(usable_threads(2, 64), 2);
  EXPECT_EQ(usable_threads(0, 0), 1);
}

}  // namespace
}  // namespace xylem::topo
