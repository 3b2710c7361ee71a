// Threads that stream: what contention groups see of each other, and what a decision on hints makes
// of it.
#include "sched/place/streams.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "mem/cost/costs.hpp"
#include "mem/cost/costs_file.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "mem/move/range_moves.hpp"
#include "os/memory.hpp"
#include "paper_machine.hpp"
#include "sched/place/hint_decision.hpp"

namespace {

using xylem::sched::Decision;
using xylem::sched::Hint;
using xylem::sched::StreamCounts;
using xylem::sched::streams_beside;
using xylem::sched::TeamStreams;
using Threads = std::vector<double>;

TEST(Streams, OfOtherGroupsAreSeen) {
  StreamCounts first, second;
  TeamStreams one, other;
  one.tell(&first, {4, 0, 2});
  other.tell(&first, {1, 0, 0});
  EXPECT_EQ(streams_beside(second, 3), (Threads{5, 0, 2})) << "of all teams of a group";
  EXPECT_EQ(streams_beside(first, 3), (Threads{0, 0, 0})) << "not a group's own";
}

TEST(Streams, WhatIsToldTakesThePlaceOfWhatWas) {
  StreamCounts first, second;
  TeamStreams team;
  team.tell(&first, {4, 0});
  team.tell(&first, {0, 3});
  EXPECT_EQ(streams_beside(second, 2), (Threads{0, 3}));
}

TEST(Streams, EndWithTheTeam) {
  StreamCounts first, second;
  { TeamStreams().tell(&first, {4, 4}); }
  EXPECT_EQ(streams_beside(second, 2), (Threads{0, 0}));
}

TEST(Streams, AChildOfForkSeesNobody) {
  StreamCounts first, second;
  EXPECT_EXIT(
      {
        TeamStreams before;
        before.tell(&first, {4});
        xylem::sched::forget_streams_in_child();
        const bool nobody = streams_beside(second, 1) == Threads{0};
        before.tell(&first, {3});  // what was told before counts no more, and is not taken off
        std::exit(nobody && streams_beside(second, 1) == Threads{3} ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// --- decisions -----------------------------------------------------------------------------------

constexpr size_t pages = 64;

// Pages on all four nodes.
void* spread_data() {
  const size_t part = pages / 4 * xylem::os::page_size();
  auto* start = static_cast<char*>(xylem::mem::map_placed(4 * part, {}));
  std::memset(start, 1, 4 * part);
  for (int node = 0; node < 4; ++node)
    xylem::mem::move_range(start + static_cast<size_t>(node) * part, part, node, nullptr);
  return start;
}

// Four threads of node 0 read data that is spread over the machine of paper 000, Table 1.
Decision decide_beside(const Threads& beside) {
  std::vector<Hint> hints;
  for (int member = 0; member < 4; ++member)
    hints.push_back({.number = member,
                     .start = spread_data(),
                     .bytes = pages * xylem::os::page_size(),
                     .reads = true,
                     .passes = 1000});
  const std::vector<int> now{0, 1, 2, 3};
  return xylem::sched::decide(hints, now, xylem::plan::TeamTree{{.n = 4}}, false,
                              xylem::policy::Allowed::cheapest, beside);
}

void decide_on_the_paper_machine() {
  const auto loaded = xylem::topo::load_machine("node:4(memory=64MB) core:4 pu:1", true);
  const xylem::topo::Machine& machine = *loaded.value();
  const std::string file =
      std::filesystem::temp_directory_path() / ("xylem-streams-" + std::to_string(getpid()));
  xylem::plan::Costs costs = xylem::plan::paper_machine();
  costs.measured = true;
  costs.measured_at = costs.measured_pairs = 1;
  EXPECT_EQ(xylem::mem::write_costs(file.c_str(), xylem::mem::costs_key(machine), costs), 0);
  xylem::mem::start(machine);
  xylem::mem::start_costs(machine, file.c_str(), "");
  EXPECT_EQ(xylem::mem::known_costs().streams.size(), 4U);
  std::filesystem::remove(file);

  StreamCounts mine, others;
  TeamStreams team;
  const Decision alone = decide_beside(streams_beside(mine, 4));
  EXPECT_TRUE(alone.pages.empty()) << "four threads alone read as fast from all nodes";
  EXPECT_EQ(alone.streams, (std::vector<int>{4, 0, 0, 0}));
  team.tell(&others, {0, 4, 4, 4});
  EXPECT_EQ(decide_beside(streams_beside(mine, 4)).pages.size(), 4U)
      << "from their own node where others load the rest";
}

TEST(Streams, ThreadsOfOthersWeighInADecision) {
  EXPECT_EXIT(
      {
        decide_on_the_paper_machine();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
