// plan/contention.hpp: what streams cost under load, on the numbers of paper 000, Table 1.
#include "plan/contention.hpp"

#include <gtest/gtest.h>

#include "paper_machine.hpp"

namespace xylem::plan {
namespace {

// MB/s of all threads together, `per_node` of them on each of the first `nodes` nodes, whose bytes
// lie on their own node, or evenly on all.
double together(const Costs& costs, int nodes, int per_node, bool spread) {
  StreamLoad load(4);
  std::vector<double> bytes(4);
  const auto place = [&](int node) {
    for (int to = 0; to < 4; ++to) bytes[static_cast<std::size_t>(to)] = spread || to == node;
  };
  for (int node = 0; node < nodes; ++node)
    for (int thread = 0; thread < per_node; ++thread) {
      place(node);
      load.add(node, bytes);
    }
  double sum = 0;
  for (int node = 0; node < nodes; ++node) {
    place(node);
    double ns = 0, all = 0;
    for (int to = 0; to < 4; ++to) {
      ns += bytes[static_cast<std::size_t>(to)] *
            stream_ns_per_byte(costs, Access::read, node, to, load);
      all += bytes[static_cast<std::size_t>(to)];
    }
    sum += per_node * mb_per_s / (ns / all);
  }
  return sum;
}

TEST(Contention, GivesThePapersTable) {
  const Costs costs = paper_machine();
  EXPECT_NEAR(together(costs, 1, 4, false), 5151, 1);
  EXPECT_NEAR(together(costs, 1, 4, true), 5740, 1);
  EXPECT_NEAR(together(costs, 4, 4, false), 4 * 3635, 4);
  EXPECT_NEAR(together(costs, 4, 4, true), 4 * 2257, 4);
}

// What the table does not have, and no number of which was put in.
TEST(Contention, OneThreadAloneIsBestAtHomeAndTwoAreBetweenOneAndFour) {
  const Costs costs = paper_machine();
  EXPECT_GT(together(costs, 1, 1, false), together(costs, 1, 1, true));
  const double one = together(costs, 1, 1, false), two = together(costs, 1, 2, false);
  EXPECT_GT(two, one);
  EXPECT_LT(two, 2 * one);
  EXPECT_LT(two, together(costs, 1, 4, false));
}

// Sixteen threads of four nodes that all read node 0 share its one controller.
TEST(Contention, AControllerThatAllUseGetsNoFaster) {
  const Costs costs = paper_machine();
  StreamLoad load(4);
  const std::vector<double> bytes{1, 0, 0, 0};
  for (int thread = 0; thread < 16; ++thread) load.add(thread / 4, bytes);
  double sum = 0;
  for (int thread = 0; thread < 16; ++thread)
    sum += mb_per_s / stream_ns_per_byte(costs, Access::read, thread / 4, 0, load);
  EXPECT_NEAR(sum, 3635, 1);
}

TEST(Contention, WhoAlreadyUsesAControllerMakesItDearer) {
  const Costs costs = paper_machine();
  StreamLoad alone(4), beside(4);
  const std::vector<double> bytes{1, 0, 0, 0};
  alone.add(0, bytes);
  beside.add(0, bytes);
  beside.add_local(0, 3);
  const double before = stream_ns_per_byte(costs, Access::read, 0, 0, alone);
  EXPECT_DOUBLE_EQ(before, costs.read_ns_per_byte[0]);
  EXPECT_GT(stream_ns_per_byte(costs, Access::read, 0, 0, beside), 1.4 * before);
}

TEST(Contention, WithoutMeasuredStreamsOneThreadsNumbersCount) {
  Costs costs = paper_machine();
  costs.streams.clear();
  StreamLoad load(4);
  load.add_local(0, 16);
  EXPECT_DOUBLE_EQ(stream_ns_per_byte(costs, Access::read, 1, 0, load),
                   costs.read_ns_per_byte[costs.at(1, 0)]);
}

TEST(Contention, NoCrowdIsFasterThanOneAlone) {
  NodeStreams node{.threads = 4};
  node.of(Access::read, Memory::local, Others::idle) = {1.0, 0.9, 1.2};
  EXPECT_DOUBLE_EQ(slow_down(node, Access::read, Memory::local, 2, 0), 1);
  EXPECT_DOUBLE_EQ(slow_down(node, Access::read, Memory::local, 4, 1), 1.2) << "nobody else's load";
  EXPECT_DOUBLE_EQ(slow_down(node, Access::read, Memory::local, 8, 0), 2.4);
  EXPECT_DOUBLE_EQ(slow_down(node, Access::write, Memory::local, 8, 0), 1) << "not measured";
}

}  // namespace
}  // namespace xylem::plan
