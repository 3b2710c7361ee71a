// In which order a member looks through the queues of others.
#include "omp/team/near_first.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace xylem::omp {
namespace {

using Order = std::vector<int>;

Order order(int own, int size, int a_node) {
  Order seen;
  visit_near_first(own, size, a_node, [&seen](int i) {
    seen.push_back(i);
    return false;
  });
  return seen;
}

TEST(NearFirst, OnOneNodeTheNearestByNumberGoFirst) {
  EXPECT_EQ(order(2, 6, 6), (Order{3, 1, 4, 0, 5}));
  EXPECT_EQ(order(0, 4, 4), (Order{1, 2, 3}));
  EXPECT_EQ(order(0, 1, 1), Order{});
}

TEST(NearFirst, TheOwnNodeGoesBeforeTheOthersAndThoseByTheirDistance) {
  EXPECT_EQ(order(5, 8, 4), (Order{6, 4, 7, 1, 2, 3, 0}));
  EXPECT_EQ(order(3, 9, 3), (Order{4, 5, 6, 7, 8, 0, 1, 2}));
  EXPECT_EQ(order(0, 7, 3), (Order{1, 2, 3, 4, 5, 6})) << "the last node has fewer";
}

TEST(NearFirst, EachIsVisitedOnceUntilOneIsWanted) {
  for (int size = 1; size < 40; ++size)
    for (int a_node = 1; a_node <= size; ++a_node)
      for (int own = 0; own < size; ++own) {
        Order all = order(own, size, a_node);
        all.push_back(own);
        std::ranges::sort(all);
        for (int i = 0; i < size; ++i) ASSERT_EQ(all[static_cast<size_t>(i)], i);
      }
  int visits = 0;
  EXPECT_TRUE(visit_near_first(5, 8, 4, [&visits](int i) { return ++visits, i == 7; }));
  EXPECT_EQ(visits, 3);
}

}  // namespace
}  // namespace xylem::omp
