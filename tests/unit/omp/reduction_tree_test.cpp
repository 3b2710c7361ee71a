// Combining along a reduction tree: one member has it all, and which parts are combined with which
// does not depend on who comes first.
#include "omp/sync/reduction_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace xylem::omp {
namespace {

class ReductionTrees : public testing::TestWithParam<int> {
 protected:
  ReductionTrees() : n_(GetParam()), tree_(*ReductionTree::make(n_, nullptr)) {}
  ~ReductionTrees() override { tree_.free(nullptr); }

  // What the last one has when members with these parts come in this order.
  template <class Part, class Combine>
  Part combined(std::vector<Part> parts, const std::vector<int>& order, const Combine& combine) {
    for (size_t i = 0; i < order.size(); ++i) {
      const int member = order[i];
      const bool has_all =
          tree_.combine(member, &parts[static_cast<size_t>(member)], [&](void* into, void* from) {
            *static_cast<Part*>(into) =
                combine(*static_cast<Part*>(into), *static_cast<Part*>(from));
          });
      EXPECT_EQ(has_all, i + 1 == order.size()) << member;
    }
    return parts[static_cast<size_t>(order.back())];
  }

  std::vector<int> members() const {
    std::vector<int> all(static_cast<size_t>(n_));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  const int n_;
  ReductionTree& tree_;
};

TEST_P(ReductionTrees, CombineThePartsOfAllMembers) {
  std::vector<int> order = members(), parts = order;
  EXPECT_EQ(combined(parts, order, std::plus<>()), n_ * (n_ - 1) / 2);
  std::reverse(order.begin(), order.end());
  EXPECT_EQ(combined(parts, order, std::plus<>()), n_ * (n_ - 1) / 2);
}

// The shape as text: pairs in brackets, the lesser member first.
TEST_P(ReductionTrees, CombineInOneShapeHoweverMembersCome) {
  const auto pair = [](const std::string& a, const std::string& b) {
    const auto first = [](const std::string& text) {
      return std::stoi(text.substr(text.find_first_not_of('(')));
    };
    return first(a) < first(b) ? "(" + a + " " + b + ")" : "(" + b + " " + a + ")";
  };
  std::vector<std::string> parts;
  for (const int member : members()) parts.push_back(std::to_string(member));
  const std::string shape = combined(parts, members(), pair);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> order = members();
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(combined(parts, order, pair), shape);
  }
}

TEST_P(ReductionTrees, OfMembersThatComeAtOnceOneHasItAll) {
  constexpr int threads = 4, rounds = 50;
  std::vector<int> parts(static_cast<size_t>(n_));
  std::atomic<int64_t> sum{0};
  std::barrier together(threads);
  const auto add = [](void* into, void* from) {
    *static_cast<int*>(into) += *static_cast<int*>(from);
  };
  const auto come = [&](int first) {
    for (int round = 0; round < rounds; ++round) {
      together.arrive_and_wait();
      for (int member = first; member < n_; member += threads) {
        int& own = parts[static_cast<size_t>(member)] = member + 1;
        if (tree_.combine(member, &own, add)) sum += own;
      }
      together.arrive_and_wait();
    }
  };
  std::vector<std::jthread> all;
  for (int thread = 0; thread < threads; ++thread) all.emplace_back(come, thread);
  all.clear();
  EXPECT_EQ(sum, int64_t{rounds} * n_ * (n_ + 1) / 2);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReductionTrees,
                         testing::Values(2, 3, 4, 5, 7, 8, 9, 16, 17, 64, 65, 100, 513));

}  // namespace
}  // namespace xylem::omp
