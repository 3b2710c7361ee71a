// Where teammates end when all that spreads them is stealing (paper 002, sections 2.4.4 and 2.6.3):
// the table of docs/policies.md, which lab/stealing prints, and that the paper's order holds.
#include "stealing.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace {

using stealing::Result;
using xylem::plan::Open;
using xylem::plan::StealRule;
using xylem::plan::Take;
using xylem::plan::VictimOrder;

struct Size {
  const char* machine;
  int depth;  // of the tree of teams
};
constexpr Size sizes[] = {{"pack:2 [numa] l3:2 core:4 pu:1", 4},
                          {"pack:4 [numa] l3:4 core:4 pu:1", 5},
                          {"pack:8 [numa] l3:8 core:4 pu:1", 6}};

struct Row {
  const char* name;
  StealRule rule;
};
constexpr Row rows[] = {
    {"cache", {}},
    {"paper", {.take = Take::most_loaded, .open = Open::lone, .leave_ancestors = false}},
    {"paper, nothing lifted", {.take = Take::most_loaded, .open = Open::lone}},
    {"nearest, threads alone", {.take = Take::thread_alone}},
    {"random", {.order = VictimOrder::random}},
    {"random, threads alone", {.order = VictimOrder::random, .take = Take::thread_alone}},
};

const xylem::topo::Machine& machine_of(const Size& size) {
  static std::vector<std::pair<const char*, const xylem::topo::Machine*>> made;
  for (const auto& [name, machine] : made)
    if (name == size.machine) return *machine;
  made.emplace_back(size.machine, xylem::topo::load_machine(size.machine, true).value());
  return *made.back().second;
}

Result result(const Row& row, const Size& size) {
  return stealing::run(machine_of(size), row.rule, size.depth, 5);
}

TEST(Stealing, Table) {
  std::printf("%-26s", "rule");
  for (const Size& size : sizes) std::printf("%20d PUs", machine_of(size).pu_count());
  for (const Row& row : rows) {
    std::printf("\n%-26s", row.name);
    for (const Size& size : sizes) {
      const Result got = result(row, size);
      std::printf("%8.1f %% %4.0f %% %6.0f", 100 * got.share(), 100 * got.busy(), got.steals);
      ASSERT_GT(got.pairs, 0);
    }
  }
  std::printf("\n");
}

// Near before far and subtrees before threads, as the paper has them: each brings teammates nearer.
TEST(Stealing, ThePapersOrderHolds) {
  for (const Size& size : sizes) {
    SCOPED_TRACE(size.machine);
    const double cache = result(rows[0], size).share(), paper = result(rows[1], size).share();
    const double alone = result(rows[3], size).share(), random = result(rows[4], size).share();
    const double lonely = result(rows[5], size).share();
    EXPECT_GT(cache, random);
    EXPECT_GT(paper, random);
    EXPECT_GT(cache, alone);
    EXPECT_GT(alone, lonely);
    EXPECT_GT(random, lonely);
  }
}

}  // namespace
