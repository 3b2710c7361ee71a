// The nest of a doacross loop as LLVM's entry points tell it, and what omp/ sees of it.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "abi/kmp/doacross_decode.hpp"

namespace xylem::abi::kmp {
namespace {

class Nest {
 public:
  explicit Nest(const std::vector<DoacrossDim>& dims)
      : memory_(new std::byte[DoacrossNest::bytes(static_cast<unsigned>(dims.size()))]),
        nest_(make_nest(memory_.get(), dims)) {}

  DoacrossNest& operator*() { return *nest_; }
  DoacrossNest* operator->() { return nest_; }

  std::vector<uint64_t> sizes() const {
    std::vector<uint64_t> sizes(nest_->depth_seen());
    sizes_of(*nest_, sizes.data());
    return sizes;
  }
  // Empty: no iteration.
  std::vector<uint64_t> numbers(const std::vector<int64_t>& values) const {
    std::vector<uint64_t> seen(nest_->depth_seen());
    if (!number_vector(*nest_, values.data(), seen.data())) return {};
    return seen;
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  DoacrossNest* nest_;
};

using Numbers = std::vector<uint64_t>;

// As Clang does: from 0 by 1, and the count as the upper bound.
TEST(DoacrossNest, ClangTellsOneIterationTooMany) {
  Nest nest({{0, 10, 1}, {0, 4, 1}});
  EXPECT_TRUE(join_loops(*nest, 10));
  EXPECT_EQ(nest.sizes(), (Numbers{10, 4}));
  EXPECT_EQ(nest.numbers({9, 3}), (Numbers{9, 3}));
  EXPECT_TRUE(nest.numbers({10, 0}).empty());
  EXPECT_TRUE(nest.numbers({3, 4}).empty()) << "a sink right of the row does not exist";
  EXPECT_TRUE(nest.numbers({-1, 0}).empty());
}

TEST(DoacrossNest, BoundsMayBePartOfTheLoop) {
  Nest nest({{1, 999, 1}});
  EXPECT_TRUE(join_loops(*nest, 999));
  EXPECT_EQ(nest.sizes(), Numbers{999});
  EXPECT_EQ(nest.numbers({1}), Numbers{0});
  EXPECT_EQ(nest.numbers({999}), Numbers{998});
  EXPECT_TRUE(nest.numbers({0}).empty());
}

TEST(DoacrossNest, StepsOfEitherSign) {
  Nest nest({{10, -10, -5}, {-4, 7, 3}});
  EXPECT_TRUE(join_loops(*nest, 5));
  EXPECT_EQ(nest.sizes(), (Numbers{5, 4}));
  EXPECT_EQ(nest.numbers({10, -4}), (Numbers{0, 0}));
  EXPECT_EQ(nest.numbers({-10, 5}), (Numbers{4, 3}));
  EXPECT_TRUE(nest.numbers({9, -4}).empty()) << "no iteration has this value";
  EXPECT_TRUE(nest.numbers({15, -4}).empty());
  EXPECT_TRUE(nest.numbers({-10, 8}).empty());
}

// collapse(2) ordered(3): the two outer loops are shared out as one.
TEST(DoacrossNest, CollapsedLoopsAreJoined) {
  Nest nest({{0, 6, 1}, {0, 5, 1}, {0, 7, 1}});
  EXPECT_TRUE(join_loops(*nest, 30));
  EXPECT_EQ(nest.sizes(), (Numbers{30, 7}));
  EXPECT_EQ(nest.numbers({2, 3, 6}), (Numbers{13, 6}));
  EXPECT_TRUE(nest.numbers({2, 5, 6}).empty());
}

TEST(DoacrossNest, AnotherLoopsIterationsMayBeAnybodys) {
  Nest nest({{0, 6, 1}, {0, 5, 1}});
  EXPECT_FALSE(join_loops(*nest, 17));
  EXPECT_EQ(nest.sizes(), Numbers{42});
  EXPECT_EQ(nest.numbers({1, 2}), Numbers{8});
}

TEST(DoacrossNest, InnerLoopsMayBeEmpty) {
  Nest nest({{0, 6, 1}, {0, 0, 1}, {0, -5, 1}});
  EXPECT_TRUE(join_loops(*nest, 6));
  EXPECT_EQ(nest.sizes(), (Numbers{6, 0, 0}));
  EXPECT_TRUE(nest.numbers({0, 0, 0}).empty());
}

TEST(DoacrossNest, ValuesAtTheEdges) {
  Nest nest({{INT64_MAX, INT64_MIN, INT64_MIN}, {INT64_MIN, INT64_MAX, INT64_MAX}});
  EXPECT_TRUE(join_loops(*nest, 2));
  EXPECT_EQ(nest.sizes(), (Numbers{2, 3}));
  EXPECT_EQ(nest.numbers({-1, INT64_MAX - 1}), (Numbers{1, 2}));
}

}  // namespace
}  // namespace xylem::abi::kmp
