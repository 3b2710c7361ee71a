// The order in which members go on that slept: by their numbers, however they came.
#include "omp/sync/member_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "omp/team/team.hpp"

namespace xylem::omp {
namespace {

class MemberOrder : public ::testing::Test {
 protected:
  // The numbers in the order in which those go on that came in the order `came`.
  std::vector<int> sorted(const std::vector<int>& came) {
    members_ = std::vector<Member>(came.size());
    fibers_ = std::vector<sched::Fiber>(came.size());
    sched::EntityList list;
    for (size_t i = 0; i < came.size(); ++i) {
      members_[i].num = came[i];
      fibers_[i].user = &members_[i];
      list.push_back(fibers_[i]);
    }
    sort_by_number(list);
    std::vector<int> numbers;
    for (const sched::Entity* e = list.front(); e; e = e->next) numbers.push_back(number_of(*e));
    return numbers;
  }
  static std::vector<int> first_numbers(size_t count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  std::vector<Member> members_;
  std::vector<sched::Fiber> fibers_;
};

TEST_F(MemberOrder, FollowsTheNumbers) {
  EXPECT_EQ(sorted({}), std::vector<int>());
  EXPECT_EQ(sorted({3}), std::vector({3}));
  EXPECT_EQ(sorted({1, 5, 9}), std::vector({1, 5, 9}));
  EXPECT_EQ(sorted({9, 5, 1}), std::vector({1, 5, 9}));
  EXPECT_EQ(sorted({4, 5, 6, 0, 1, 2}), std::vector({0, 1, 2, 4, 5, 6}));
}

TEST_F(MemberOrder, OfManyInAnyOrder) {
  std::mt19937 random(1);
  for (const size_t count : {2U, 7U, 64U, 1000U, 10'000U}) {
    std::vector<int> came = first_numbers(count);
    std::shuffle(came.begin(), came.end(), random);
    EXPECT_EQ(sorted(came), first_numbers(count));
  }
}

}  // namespace
}  // namespace xylem::omp
