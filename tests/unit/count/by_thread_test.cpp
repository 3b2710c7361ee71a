// The histogram and the table that follow from pages by threads.
#include "count/table/by_thread.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xylem::count {
namespace {

Counts example() {
  Counts counts(Rows::pages_by_threads, 4, 4096);
  counts.add(7, 0, 10, 1);
  counts.add(7, 3, 20, 2);
  counts.add(8, 1, 30, 0);
  counts.add(9, 2, 0, 40);
  return counts;
}

TEST(ByThread, MakesAHistogramOnceThreadsHaveNodes) {
  const std::vector<int> node_of = {1, 0, 0, 1};
  const Counts made = page_histogram(example(), node_of, 2);
  EXPECT_EQ(made.rows(), Rows::pages);
  EXPECT_EQ(made.nodes(), 2);
  EXPECT_EQ(made.page_bytes(), 4096u);
  EXPECT_EQ(made.sorted(), (std::vector<Cell>{{7, 1, 30, 3}, {8, 0, 30, 0}, {9, 0, 0, 40}}));
}

TEST(ByThread, LeavesOutThreadsWithoutANode) {
  const std::vector<int> node_of = {1, 0};
  EXPECT_EQ(page_histogram(example(), node_of, 2).sorted(),
            (std::vector<Cell>{{7, 1, 10, 1}, {8, 0, 30, 0}}));
}

TEST(ByThread, MakesATableOncePagesHaveHomes) {
  const std::vector<PageHome> homes = {{1, 0}, {7, 2}, {9, 0}};  // page 8 has none
  const Counts made = thread_nodes(example(), homes, 3);
  EXPECT_EQ(made.rows(), Rows::threads);
  EXPECT_EQ(made.sorted(), (std::vector<Cell>{{0, 2, 10, 1}, {2, 0, 0, 40}, {3, 2, 20, 2}}));
  EXPECT_EQ(made.nodes(), 3);
}

}  // namespace
}  // namespace xylem::count
