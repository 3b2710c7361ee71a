// The records of synthetic machines of a synthetic machine: each page has one home, and the sums by
// node are right.
#include "mem/map/synthetic_pages.hpp"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace xylem::mem {
namespace {

TEST(SyntheticPages, KnowsNoHomeUntilOneIsSet) {
  SyntheticPages books;
  EXPECT_EQ(books.home(5), SyntheticPages::no_home);
  EXPECT_EQ(books.set_home(5, 2), SyntheticPages::no_home);
  EXPECT_EQ(books.home(5), 2);
  EXPECT_EQ(books.set_home(5, 1), 2);
  EXPECT_EQ(books.pages_on(2), 0);
  EXPECT_EQ(books.pages_on(1), 1);
  books.forget(4, 3);
  EXPECT_EQ(books.home(5), SyntheticPages::no_home);
  EXPECT_EQ(books.pages_on(1), 0);
}

TEST(SyntheticPages, AgreesWithAPlainMap) {
  SyntheticPages books;
  std::unordered_map<uintptr_t, int> plain;
  std::mt19937 random(3);
  for (int step = 0; step < 100000; ++step) {
    const uintptr_t page = 1 + random() % 20000;
    if (random() % 4 == 0) {
      books.forget(page, 5);
      for (uintptr_t i = 0; i < 5; ++i) plain.erase(page + i);
    } else {
      const int node = static_cast<int>(random() % 4);
      const auto before = plain.find(page);
      EXPECT_EQ(books.set_home(page, node), before == plain.end() ? -1 : before->second);
      plain[page] = node;
    }
  }
  std::array<int64_t, 4> sums{};
  for (const auto& [page, node] : plain) {
    ASSERT_EQ(books.home(page), node);
    ++sums[static_cast<size_t>(node)];
  }
  for (size_t node = 0; node < 4; ++node)
    EXPECT_EQ(books.pages_on(static_cast<int>(node)), sums[node]);
}

}  // namespace
}  // namespace xylem::mem
