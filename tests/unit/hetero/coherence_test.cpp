// The MSI protocol against a serial model: whatever the order of accesses, each read finds what was
// written last.
#include "hetero/data/coherence.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

namespace hetero = xylem::hetero;
using hetero::State;

hetero::Links star(int nodes) {
  hetero::Links links(nodes);
  for (int node = 1; node < nodes; ++node) links.at(0, node) = links.at(node, 0) = {true, 1000, 1};
  return links;
}

TEST(Coherence, AWriteLeavesOneOwner) {
  hetero::Copies copies;
  copies.record_written(0);
  copies.record_copied(1);
  copies.record_copied(2);
  EXPECT_EQ(copies.of(0), State::shared);
  EXPECT_EQ(copies.valid_count(), 3);
  copies.record_written(2);
  EXPECT_EQ(copies.of(2), State::owner);
  EXPECT_EQ(copies.valid_count(), 1);
  EXPECT_EQ(copies.check(), nullptr);
}

TEST(Coherence, TheOnlyCopyCannotBeDropped) {
  hetero::Copies copies;
  copies.record_written(1);
  EXPECT_FALSE(copies.drop(1));
  EXPECT_TRUE(copies.drop(0));
  copies.record_copied(0);
  EXPECT_TRUE(copies.drop(1));
  EXPECT_FALSE(copies.drop(0));
}

TEST(Coherence, WhatHasNoValueCannotBeFetched) {
  hetero::Copies copies;
  EXPECT_FALSE(hetero::route_to(copies, 1, star(3), 10).possible);
  copies.record_written(1);
  copies.forget();
  EXPECT_FALSE(hetero::route_to(copies, 0, star(3), 10).possible);
}

TEST(Coherence, DevicesWithoutALinkCopyThroughMainMemory) {
  hetero::Copies copies;
  copies.record_written(1);
  const hetero::Route route = hetero::route_to(copies, 2, star(3), 100);
  ASSERT_EQ(route.steps, 2);
  EXPECT_EQ(route.step[0].from, 1);
  EXPECT_EQ(route.step[0].to, 0);
  EXPECT_EQ(route.step[1].from, 0);
  EXPECT_EQ(route.step[1].to, 2);
  EXPECT_DOUBLE_EQ(route.cost_ns, 2200);
}

TEST(Coherence, TheCheapestCopyIsTheSource) {
  hetero::Links links = star(4);
  links.at(1, 3) = {true, 0, 0.1};
  links.at(2, 3) = {true, 500, 0};
  hetero::Copies copies;
  copies.record_written(0);
  copies.record_copied(1);
  copies.record_copied(2);
  EXPECT_EQ(hetero::route_to(copies, 3, links, 100).step[0].from, 1);
  EXPECT_EQ(hetero::route_to(copies, 3, links, 1'000'000).step[0].from, 2);
}

// A node's copy is the number of the write that it shows.
TEST(Coherence, EachReadFindsTheLastWrite) {
  std::mt19937 random(20);
  for (int round = 0; round < 200; ++round) {
    const int nodes = 2 + static_cast<int>(random() % 5);
    const hetero::Links links = star(nodes);
    hetero::Copies copies;
    std::array<int, hetero::most_nodes> shown{};
    int last = 0;  // 0: no value
    for (int turn = 1; turn < 200; ++turn) {
      const int node = static_cast<int>(random() % static_cast<unsigned>(nodes));
      switch (random() % 4) {
        case 0: {
          copies.record_written(node);
          shown[static_cast<size_t>(node)] = last = turn;
          break;
        }
        case 1: {
          copies.drop(node);
          break;
        }
        case 2: {
          if (random() % 8 == 0) {
            copies.forget();
            last = 0;
          }
          break;
        }
        default: {
          const hetero::Route route = hetero::route_to(copies, node, links, 8);
          ASSERT_EQ(route.possible, last != 0);
          for (int i = 0; i < route.steps; ++i) {
            const auto [from, to] = route.step[static_cast<size_t>(i)];
            ASSERT_TRUE(copies.valid_on(from));
            ASSERT_TRUE(from == 0 || to == 0);
            shown[static_cast<size_t>(to)] = shown[static_cast<size_t>(from)];
            copies.record_copied(to);
          }
          if (route.possible) {
            ASSERT_EQ(shown[static_cast<size_t>(node)], last);
          }
        }
      }
      ASSERT_EQ(copies.check(), nullptr);
    }
  }
}

}  // namespace
