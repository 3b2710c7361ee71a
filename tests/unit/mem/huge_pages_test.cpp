// Which huge pages a move divides.
#include "mem/move/huge_pages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xylem::mem {
namespace {

TEST(HugePages, AreDividedUnlessTheyGoWhole) {
  const size_t whole = pages_in_huge_page();
  std::vector<int> wanted(whole, 2);
  EXPECT_FALSE(divides_huge_page(wanted));
  wanted[whole - 1] = 1;
  EXPECT_TRUE(divides_huge_page(wanted));
  wanted[whole - 1] = -1;  // it stays
  EXPECT_TRUE(divides_huge_page(wanted));
  wanted.assign(whole, -1);
  EXPECT_FALSE(divides_huge_page(wanted));
  wanted.assign(whole - 1, 2);  // the last page is not the move's
  EXPECT_TRUE(divides_huge_page(wanted));
  wanted.assign(1, -1);
  EXPECT_FALSE(divides_huge_page(wanted));
}

TEST(HugePages, RangesEndWhereTheyEnd) {
  const size_t whole = pages_in_huge_page();
  EXPECT_EQ(pages_in_same_huge_page(7 * whole, 5 * whole), whole);
  EXPECT_EQ(pages_in_same_huge_page(7 * whole + 3, 5 * whole), whole - 3);
  EXPECT_EQ(pages_in_same_huge_page(8 * whole - 1, 5), 1u);
  EXPECT_EQ(pages_in_same_huge_page(7 * whole + 3, 10), 10u);
}

}  // namespace
}  // namespace xylem::mem
