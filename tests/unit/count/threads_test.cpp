// The thread engine: paper 003's worked example step by step, and the laws of mappings.
#include "count/engine/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "count/drawn_tables.hpp"

namespace xylem::count {
namespace {

// Table 1 of the paper: 8 threads of MG on 4 nodes, whose processors have 4 cores.
const ThreadNodeTable table_1 = {8, 4, {1770108, 1765296, 1766348, 1765584,  //
                                        1631249, 1530389, 1529758, 1532284,  //
                                        1554151, 1554991, 1552323, 1552409,  //
                                        331659,  330097,  330903,  329727,   //
                                        984706,  985755,  987233,  987138,   //
                                        985833,  986215,  985754,  988217,   //
                                        988661,  986670,  989070,  988749,   //
                                        984706,  985755,  987233,  987138}};
const std::vector<int> room_of_paper = {4, 4, 4, 4};
const NumaFactors factors_of_paper(4, NumaFactors::of_paper);
const ThreadQuestion paper = {table_1, room_of_paper, factors_of_paper};

// e(thread, node) in the paper's numbers, which begin with 1.
struct Element {
  int thread, node;
  uint64_t requests;
  bool operator==(const Element&) const = default;
};
std::vector<Element> elements(const SelectionStep& step) {
  std::vector<Element> made;
  for (const Candidate& one : step.candidates)
    made.push_back({one.thread + 1, one.node + 1, one.requests});
  return made;
}

TEST(PaperOnThreads, ImpactFactorsFollowEquation4) {
  EXPECT_EQ(impact(paper, 0, 0), 9715950);  // CPImpact[1] of Table 3
  EXPECT_EQ(impact(paper, 1, 0), 1631249 + 1.5 * 4592431);
  EXPECT_EQ(impact(paper, 2, 1), 1554991 + 1.5 * 4658883);
}

// The column "IF" of Table 3 is the remote requests alone: no local ones, and no factor of 1.5.
// That of e(3,2) is misprinted: 4659723 for 4658883, which the row's last column has right.
TEST(PaperOnThreads, Table3sColumnIsRemoteRequests) {
  EXPECT_EQ(remote_requests(table_1, 1, 0), 4592431);
  EXPECT_EQ(remote_requests(table_1, 2, 1), 4658883);
  EXPECT_NE(remote_requests(table_1, 2, 1), 4659723);
  EXPECT_EQ(remote_requests(table_1, 2, 2), 4661551);
  EXPECT_EQ(remote_requests(table_1, 2, 3), 4661465);
  EXPECT_EQ(remote_requests(table_1, 1, 0) + impact(paper, 0, 0), 14308381);
}

// The first turn takes e(1,1); in the second e(2,1) has the maximum, T is 1087500 (1631249 / 1.5
// rounded up), and e(3,2), e(3,3), e(3,4) are the candidates of the other nodes.
TEST(PaperOnThreads, Algorithm2GoesAsInSection32) {
  SelectionSteps steps;
  const Mapping mapping = most_local_mapping(paper, &steps);
  ASSERT_EQ(steps.size(), 8u);
  EXPECT_EQ(
      elements(steps[0]),
      (std::vector<Element>{{1, 1, 1770108}, {1, 3, 1766348}, {1, 4, 1765584}, {1, 2, 1765296}}));
  EXPECT_EQ(steps[0].chosen, 0u);
  EXPECT_EQ(
      elements(steps[1]),
      (std::vector<Element>{{2, 1, 1631249}, {3, 2, 1554991}, {3, 4, 1552409}, {3, 3, 1552323}}));
  EXPECT_EQ(steps[1].candidates[0].before, 1770108);  // LC[1]
  for (const Candidate& one : steps[1].candidates) EXPECT_GE(one.requests, 1087500u);
  EXPECT_EQ(steps[1].chosen, 1u);                              // e(3,2)
  EXPECT_EQ(elements(steps[2])[0], (Element{2, 1, 1631249}));  // is kept for the next turn
  for (const Candidate& one : steps[2].candidates)
    if (one.node == 1) {
      EXPECT_EQ(one.before, 1554991);
    }  // LC[2]
  EXPECT_EQ(mapping[0], 0);
  EXPECT_EQ(mapping[2], 1);
}

TEST(PaperOnThreads, Algorithm3GoesAsInTable3) {
  SelectionSteps steps;
  const Mapping mapping = shortest_path_mapping(paper, &steps);
  ASSERT_EQ(steps.size(), 8u);
  EXPECT_EQ(elements(steps[0])[steps[0].chosen], (Element{1, 1, 1770108}));
  const SelectionStep& second = steps[1];
  EXPECT_EQ(
      elements(second),
      (std::vector<Element>{{2, 1, 1631249}, {3, 2, 1554991}, {3, 4, 1552409}, {3, 3, 1552323}}));
  EXPECT_EQ(second.candidates[0].before, 9715950);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(second.candidates[i].before, 0);
  EXPECT_EQ(elements(second)[second.chosen], (Element{3, 2, 1554991}));
  // As Table 3 prints it, with remote requests for IF, the least is the same element.
  const auto printed = [](const Candidate& one) {
    return remote_requests(table_1, one.thread, one.node) + one.before;
  };
  EXPECT_EQ(printed(second.candidates[0]), 14308381);
  EXPECT_EQ(printed(second.candidates[1]), 4658883);
  EXPECT_EQ(printed(second.candidates[2]), 4661465);
  EXPECT_EQ(printed(second.candidates[3]), 4661551);
  EXPECT_EQ(mapping[2], 1);
  for (const Candidate& one : steps[2].candidates)
    if (one.node == 1) {
      EXPECT_EQ(one.before, impact(paper, 2, 1));
    }  // CPImpact[2]
}

// 16! / (4! 4! 4! 4!); the paper prints the number right and the formula with one 4! too few.
TEST(PaperOnThreads, Algorithm1HasAsManyMappings) {
  EXPECT_EQ(mapping_count(16, room_of_paper), 63063000u);
}

TEST(PaperOnThreads, Algorithm1IsNoWorseThanAlgorithm2) {
  const Mapping exact = exact_mapping(paper, Aim::local_accesses);
  EXPECT_GE(assess(paper, exact).local_accesses,
            assess(paper, most_local_mapping(paper)).local_accesses);
  const Mapping shortest = exact_mapping(paper, Aim::critical_node);
  EXPECT_LE(assess(paper, shortest).critical_node,
            assess(paper, shortest_path_mapping(paper)).critical_node);
}

// --- counting and searching
// -----------------------------------------------------------------------

// All mappings, one after the other, as digits of a number.
template <typename Visit>
void for_all_mappings(const ThreadQuestion& question, Visit visit) {
  Mapping mapping(static_cast<std::size_t>(question.table.threads), 0);
  while (true) {
    std::vector<int> used(static_cast<std::size_t>(question.table.nodes));
    for (const int node : mapping) ++used[static_cast<std::size_t>(node)];
    bool fits = true;
    for (std::size_t node = 0; node < used.size(); ++node)
      fits &= used[node] <= question.room[node];
    if (fits) visit(mapping);
    std::size_t digit = 0;
    while (digit < mapping.size() && ++mapping[digit] == question.table.nodes) mapping[digit++] = 0;
    if (digit == mapping.size()) return;
  }
}

TEST(ExactMapping, IsTheBestOfAll) {
  plan::Random random(5);
  for (int round = 0; round < 60; ++round) {
    const test::DrawnTable drawn = test::draw_table(random, 6, 3);
    const ThreadQuestion question = drawn.question();
    uint64_t count = 0;
    Assessment best{-1, 1e300, 1e300};
    for_all_mappings(question, [&](const Mapping& mapping) {
      ++count;
      const Assessment of_it = assess(question, mapping);
      best.local_accesses = std::max(best.local_accesses, of_it.local_accesses);
      best.critical_node = std::min(best.critical_node, of_it.critical_node);
      best.critical_thread = std::min(best.critical_thread, of_it.critical_thread);
    });
    EXPECT_EQ(mapping_count(question.table.threads, question.room), count);
    const auto of = [&](Aim aim) { return assess(question, exact_mapping(question, aim)); };
    EXPECT_EQ(of(Aim::local_accesses).local_accesses, best.local_accesses);
    EXPECT_NEAR(of(Aim::critical_node).critical_node, best.critical_node, 1e-6);
    EXPECT_NEAR(of(Aim::critical_thread).critical_thread, best.critical_thread, 1e-6);
  }
}

TEST(ExactMapping, GivesUpWhenToldTo) {
  EXPECT_TRUE(exact_mapping(paper, Aim::critical_node, 7).empty());
  EXPECT_EQ(exact_mapping(paper, Aim::local_accesses).size(), 8u);
}

TEST(ExactMapping, CountsStopAtTheMost) {
  const std::vector<int> room(64, 64);
  EXPECT_EQ(mapping_count(4096, room), UINT64_MAX);
  EXPECT_EQ(mapping_count(0, room), 1u);
  EXPECT_EQ(mapping_count(3, std::vector<int>{1, 1}), 0u);
}

// --- laws
// -----------------------------------------------------------------------------------------

TEST(Mappings, FitTheRoomWhateverTheTable) {
  plan::Random random(17);
  for (int round = 0; round < 500; ++round) {
    const int threads = 1 + random.below(24);
    const int nodes = 1 + random.below(8);
    const test::DrawnTable drawn = test::draw_table(random, threads, nodes);
    const ThreadQuestion question = drawn.question();
    for (const Mapping& mapping : {most_local_mapping(question), shortest_path_mapping(question)}) {
      std::vector<int> used(drawn.room.size());
      for (const int node : mapping) {
        ASSERT_GE(node, 0);
        ASSERT_LT(node, question.table.nodes);
        ++used[static_cast<std::size_t>(node)];
      }
      for (std::size_t node = 0; node < used.size(); ++node)
        EXPECT_LE(used[node], drawn.room[node]);
    }
  }
}

// Each thread with all its requests on one node, as many threads a node as it takes.
TEST(Mappings, FollowDataThatIsApart) {
  ThreadNodeTable table{8, 4, std::vector<uint64_t>(32)};
  for (std::size_t thread = 0; thread < 8; ++thread)
    table.requests[thread * 4 + (thread * 3) % 4] = 1000;
  const std::vector<int> room(4, 2);
  const ThreadQuestion question{table, room, factors_of_paper};
  for (const Mapping& mapping : {most_local_mapping(question), shortest_path_mapping(question)})
    for (std::size_t thread = 0; thread < 8; ++thread)
      EXPECT_EQ(mapping[thread], static_cast<int>(thread * 3 % 4)) << thread;
}

TEST(Mappings, AreNothingForNobody) {
  const ThreadNodeTable table{0, 4, {}};
  const ThreadQuestion question{table, room_of_paper, factors_of_paper};
  EXPECT_TRUE(most_local_mapping(question).empty());
  EXPECT_TRUE(shortest_path_mapping(question).empty());
}

TEST(ThreadNodeTable, IsMadeOfCounts) {
  Counts counts(Rows::threads, 3);
  counts.add(0, 2, 5, 6);
  counts.add(1, 0, 1, 0);
  counts.add(9, 1, 1, 0);  // a thread beyond those asked for
  const ThreadNodeTable table = thread_node_table(counts, 2);
  EXPECT_EQ(table.requests, (std::vector<uint64_t>{0, 0, 11, 1, 0, 0}));
}

TEST(NumaFactors, AreRatiosOfLatencies) {
  plan::Costs costs;
  costs.nodes = 3;
  costs.read_latency_ns = {100, 150, 300, 140, 80, 80, 200, 60, 100};
  const NumaFactors factors(costs);
  EXPECT_EQ(factors.of_all(), 0);
  EXPECT_DOUBLE_EQ(factors.at(0, 1), 1.5);
  EXPECT_DOUBLE_EQ(factors.at(1, 0), 1.75);
  EXPECT_DOUBLE_EQ(factors.at(2, 1), 1);  // no faster than local
  EXPECT_DOUBLE_EQ(factors.at(2, 2), 1);
  costs.read_latency_ns = {10, 15, 15, 15, 10, 15, 15, 15, 10};
  EXPECT_DOUBLE_EQ(NumaFactors(costs).of_all(), 1.5);
}

// Equation 4 with a factor for each pair is the printed one where all are equal.
TEST(NumaFactors, OfPairsGiveTheSameImpactWhereTheyAreEqual) {
  plan::Costs costs;
  costs.nodes = 4;
  costs.read_latency_ns.assign(16, 150);
  for (int node = 0; node < 4; ++node) costs.read_latency_ns[costs.at(node, node)] = 100;
  costs.read_latency_ns[costs.at(3, 0)] = 175;
  const NumaFactors factors(costs);
  EXPECT_EQ(factors.of_all(), 0);
  const ThreadQuestion question{table_1, room_of_paper, factors};
  EXPECT_DOUBLE_EQ(impact(question, 0, 0), 9715950);
  EXPECT_DOUBLE_EQ(impact(question, 0, 3), impact(paper, 0, 3) + 0.25 * 1770108);
}

// --- algorithm 3 beside the exact search
// ----------------------------------------------------------

// 10,000 drawn tables of each kind. docs/counting.md quotes what bench/programs/count_threads.cpp
// prints of the same tables; here is what must not get worse.
TEST(Mappings, OfAlgorithm3AreNearTheBestOnEvenTables) {
  const test::Comparison made = test::compare_with_exact(test::Kind::even, 10000, 1);
  const test::Distances& third = made.algorithm_3;
  EXPECT_EQ(made.tables, 10000);
  EXPECT_GE(third.critical_thread.optimal, 9700);
  EXPECT_LE(third.critical_thread.worst, 0.013);
  EXPECT_GE(third.critical_node.optimal, 3800);
  EXPECT_GT(third.critical_node.optimal, made.algorithm_2.critical_node.optimal);
  EXPECT_LE(third.critical_node.worst, 0.18);
}

// Here equation 2 keeps most threads at their data, whatever that makes of the nodes' sums.
TEST(Mappings, OfAlgorithm3KeepThreadsAtTheirData) {
  const test::Comparison made = test::compare_with_exact(test::Kind::touched, 10000, 1);
  const test::Distances& third = made.algorithm_3;
  EXPECT_GE(third.critical_thread.optimal, 9300);
  EXPECT_LE(third.critical_thread.worst, 0.31);
  EXPECT_GE(third.local_accesses.optimal, 7900);
  EXPECT_GE(third.critical_node.optimal, 2200);
  EXPECT_LE(third.critical_node.worst, 1.53);
}

}  // namespace
}  // namespace xylem::count
