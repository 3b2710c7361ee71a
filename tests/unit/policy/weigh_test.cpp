// mem::weigh: what to move, by where the bytes are and what access costs.
#include "policy/weigh.hpp"

#include <gtest/gtest.h>

#include "paper_machine.hpp"

namespace xylem::policy {
namespace {

constexpr int64_t vector_bytes = 160 << 20;  // paper 000, section 4.4

// Paper 000: 83 ns and 117 ns of latency, as bandwidths; 120 us + 11 us a page.
Costs two_nodes() {
  Costs costs;
  costs.nodes = 2;
  costs.move_start_ns = 120e3;
  costs.move_page_ns = 11e3;
  costs.read_ns_per_byte = {0.25, 0.35, 0.35, 0.25};
  costs.write_ns_per_byte = {0.4, 0.6, 0.6, 0.4};
  costs.read_latency_ns = {83, 117, 117, 83};
  costs.write_latency_ns = {142, 208, 208, 142};
  return costs;
}

// Triad of one thread on node 0 whose vectors lie on the nodes given: two are read, one written.
struct Triad {
  std::vector<int64_t> bytes;
  std::vector<Use> uses;

  Triad(std::initializer_list<int> nodes, double passes) : bytes(6) {
    std::size_t vector = 0;
    for (const int node : nodes) {
      bytes[2 * vector + static_cast<std::size_t>(node)] = vector_bytes;
      ++vector;
    }
    for (std::size_t i = 0; i < 3; ++i)
      uses.push_back({.thread = 0,
                      .reads = i < 2 ? passes : 0,
                      .writes = i == 2 ? passes : 0,
                      .bytes = std::span(bytes).subspan(2 * i, 2)});
  }
  Weighing weighed(std::vector<int> there, Allowed allowed = Allowed::cheapest) const {
    const std::vector<int> now{0};
    return weigh({uses, now, there, allowed}, two_nodes());
  }
};

TEST(Weigh, NothingMovesWhereAllIsLocal) {
  const Weighing weighing = Triad({0, 0, 0}, 1000).weighed({0});
  EXPECT_EQ(weighing.remedy, Remedy::none);
  EXPECT_EQ(weighing.move_pages, std::vector<bool>(3));
  EXPECT_DOUBLE_EQ(weighing.cost_ns, weighing.stay_ns);
}

TEST(Weigh, RemoteDataThreadsGoToIt) {
  for (const double passes : {1, 10, 1000}) {
    const Weighing weighing = Triad({1, 1, 1}, passes).weighed({1});
    EXPECT_EQ(weighing.remedy, Remedy::threads) << passes;
    EXPECT_LT(weighing.cost_ns, weighing.stay_ns);
  }
}

TEST(Weigh, ThreadsThatMayNotMoveGetTheirPagesWhenTheyUseThemOften) {
  EXPECT_EQ(Triad({1, 1, 1}, 1).weighed({}).remedy, Remedy::none);
  const Weighing often = Triad({1, 1, 1}, 1000).weighed({});
  EXPECT_EQ(often.remedy, Remedy::pages);
  EXPECT_EQ(often.move_pages, std::vector<bool>(3, true));
}

// Remote writes cost more than remote reads: of two remote vectors the written one pays first.
TEST(Weigh, TheWrittenVectorMovesBeforeTheReadOne) {
  std::vector<std::vector<bool>> seen;
  for (const double passes : {1, 20, 40, 1000})
    seen.push_back(Triad({0, 1, 1}, passes).weighed({}).move_pages);
  const std::vector<std::vector<bool>> wanted{
      {false, false, false}, {false, false, true}, {false, true, true}, {false, true, true}};
  EXPECT_EQ(seen, wanted);
}

TEST(Weigh, MixedDataThreadsGoAndTheVectorLeftBehindFollows) {
  const Weighing rarely = Triad({0, 1, 1}, 1).weighed({1});
  EXPECT_EQ(rarely.remedy, Remedy::threads);
  const Weighing often = Triad({0, 1, 1}, 1000).weighed({1});
  EXPECT_EQ(often.remedy, Remedy::mixed);
  EXPECT_EQ(often.move_pages, (std::vector<bool>{true, false, false}));
  EXPECT_LT(often.cost_ns, Triad({0, 1, 1}, 1000).weighed({}).cost_ns) << "half of the pages move";
}

TEST(Weigh, WhatTheUserWantsIsDone) {
  const Triad data({0, 1, 1}, 1);
  EXPECT_EQ(data.weighed({1}, Allowed::nothing).remedy, Remedy::none);
  EXPECT_EQ(data.weighed({1}, Allowed::pages).move_pages, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(data.weighed({1}, Allowed::threads).remedy, Remedy::threads);
  EXPECT_EQ(data.weighed({1}, Allowed::mixed).move_pages, (std::vector<bool>{true, false, false}));
}

TEST(Weigh, PagesThatLieNowhereAreNoReason) {
  const std::vector<int64_t> none(2);
  const std::vector<Use> uses{{.thread = 0, .reads = 10, .writes = 10, .bytes = none}};
  const std::vector<int> now{0}, there{1};
  EXPECT_EQ(weigh({uses, now, there, Allowed::cheapest}, two_nodes()).remedy, Remedy::none);
}

// --- several threads at once: paper 000, Table 1 -------------------------------------------------

// `per_node` threads on each of the first `nodes` nodes, each of which reads a vector of its own.
struct Readers {
  std::vector<int64_t> bytes;
  std::vector<Use> uses;
  std::vector<int> now;

  // The vector lies on all nodes in equal parts, or on node `on`.
  Readers(int nodes, int per_node, double passes, int on = -1) {
    const auto count = static_cast<std::size_t>(nodes * per_node);
    bytes.resize(4 * count);
    for (std::size_t thread = 0; thread < count; ++thread) {
      now.push_back(static_cast<int>(thread) / per_node);
      for (std::size_t node = 0; node < 4; ++node)
        if (on < 0 || node == static_cast<std::size_t>(on))
          bytes[4 * thread + node] = vector_bytes / (on < 0 ? 4 : 1);
      uses.push_back({.thread = static_cast<int>(thread),
                      .reads = passes,
                      .bytes = std::span(bytes).subspan(4 * thread, 4)});
    }
  }
  Weighing weighed(const Costs& costs, std::vector<double> others = {}) const {
    return weigh({uses, now, {}, Allowed::cheapest, others}, costs);
  }
};

Costs without_streams() {
  Costs costs = plan::paper_machine();
  costs.streams.clear();
  return costs;
}

// 4 threads read 5,740 MB/s from all nodes, and 5,151 from their own: nothing is to be gained.
TEST(WeighTogether, OnAnIdleMachineSpreadDataStaysSpread) {
  const Readers readers(1, 4, 1000);
  EXPECT_EQ(readers.weighed(plan::paper_machine()).remedy, Remedy::none);
  EXPECT_EQ(readers.weighed(without_streams()).remedy, Remedy::pages)
      << "what one thread's numbers say";
}

// 16 threads read 4 x 3,635 MB/s from their own nodes, and 4 x 2,257 from all.
TEST(WeighTogether, OnALoadedMachineSpreadDataComesToItsThreads) {
  const Weighing weighing = Readers(4, 4, 1000).weighed(plan::paper_machine());
  EXPECT_EQ(weighing.remedy, Remedy::pages);
  EXPECT_EQ(weighing.move_pages, std::vector<bool>(16, true));
  EXPECT_NEAR(weighing.stay_ns / weighing.cost_ns, 3635.0 / 2257, 0.01);
}

// The same four threads, while others use the other nodes.
TEST(WeighTogether, OtherTeamsLoadTheControllers) {
  const Readers readers(1, 4, 1000);
  EXPECT_EQ(readers.weighed(plan::paper_machine(), {0, 4, 4, 4}).remedy, Remedy::pages);
}

// A thread that goes to its data pays for who streams there already. Who streams on the node that
// it leaves costs it little.
TEST(WeighTogether, ANodeWhoseControllerIsLoadedCostsMore) {
  const Readers reader(1, 1, 1000, 1);
  const auto cost_there = [&](std::vector<double> others) {
    const std::vector<int> there{1};
    return weigh({reader.uses, reader.now, there, Allowed::threads, others}, plan::paper_machine())
        .cost_ns;
  };
  EXPECT_GT(cost_there({0, 3, 0, 0}), 1.4 * cost_there({}));
  EXPECT_NEAR(cost_there({3, 0, 0, 0}), cost_there({}), 0.2 * cost_there({}));
}

}  // namespace
}  // namespace xylem::policy
