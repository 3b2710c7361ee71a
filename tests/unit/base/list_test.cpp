// Tests base::List: order, unlinking, and the walk that checks the links.
#include "base/list.hpp"

#include <gtest/gtest.h>

#include <array>

namespace xylem::base {
namespace {

struct Item {
  int value = 0;
  ListLink link;
};
using Items = List<Item, &Item::link>;

TEST(List, StartsEmpty) {
  Items list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  EXPECT_EQ(list.pop_back(), nullptr);
  EXPECT_EQ(list.check(), 0u);
}

TEST(List, KeepsOrderAtBothEnds) {
  std::array<Item, 3> items{};
  for (int i = 0; i < 3; ++i) items[static_cast<std::size_t>(i)].value = i;
  Items list;
  list.push_back(&items[1]);
  list.push_back(&items[2]);
  list.push_front(&items[0]);
  EXPECT_EQ(list.check(), 3u);
  int expected = 0;
  for (Item* item = list.front(); item != nullptr; item = list.next(item)) {
    EXPECT_EQ(item->value, expected++);
  }
  EXPECT_EQ(expected, 3);
  EXPECT_EQ(list.pop_back()->value, 2);
  EXPECT_EQ(list.pop_front()->value, 0);
  EXPECT_EQ(list.check(), 1u);
}

TEST(List, RemovesFromTheMiddle) {
  std::array<Item, 3> items{};
  Items list;
  for (Item& item : items) list.push_back(&item);
  list.remove(&items[1]);
  EXPECT_FALSE(items[1].link.linked());
  EXPECT_TRUE(items[0].link.linked());
  EXPECT_EQ(list.next(&items[0]), &items[2]);
  EXPECT_EQ(list.previous(&items[2]), &items[0]);
  EXPECT_EQ(list.check(), 2u);
}

TEST(ListDeathTest, SecondInsertDiesWhenChecked) {
  if constexpr (!kChecked) GTEST_SKIP() << "invariants are not compiled in";
  Item item;
  Items list;
  list.push_back(&item);
  EXPECT_DEATH(list.push_back(&item), "already in a list");
}

}  // namespace
}  // namespace xylem::base
