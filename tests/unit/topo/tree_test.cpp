// flatten, collapse and check_tree on trees no real machine has.
#include "topo/tree.hpp"

#include <gtest/gtest.h>

namespace xylem::topo {
namespace {

Level level(LevelKind kind, int first_pu, int pu_count) {
  Level made;
  made.kind = kind;
  made.first_pu = first_pu;
  made.pu_count = pu_count;
  if (kind == LevelKind::cache) made.cache_depth = 2;
  return made;
}

// machine( package( cache( pu0 pu1 ) ) pu2 package-without-PUs )
std::vector<Draft> lopsided() {
  return {{level(LevelKind::machine, 0, 3), {1, 5, 6}},
          {level(LevelKind::package, 0, 2), {2}},
          {level(LevelKind::cache, 0, 2), {3, 4}},
          {level(LevelKind::pu, 0, 1), {}},
          {level(LevelKind::pu, 1, 1), {}},
          {level(LevelKind::pu, 2, 1), {}},
          {level(LevelKind::package, 3, 0), {}}};
}

TEST(Tree, FlattenIsBreadthFirstAndDropsWhatIsEmpty) {
  std::vector<int> places;
  const auto levels = flatten(lopsided(), places);
  EXPECT_EQ(check_tree(levels, 3), nullptr);
  EXPECT_EQ(places, (std::vector<int>{0, 1, 3, 4, 5, 2, -1}));
}

TEST(Tree, CollapseKeepsTheLevelThatTellsMost) {
  std::vector<int> places;
  const auto full = flatten(lopsided(), places);
  std::vector<int> collapsed_places;
  const auto levels = collapse(full, collapsed_places);
  EXPECT_EQ(check_tree(levels, 3), nullptr);
  ASSERT_EQ(levels.size(), 5U);
  EXPECT_EQ(levels[1].kind, LevelKind::package);
  EXPECT_EQ(collapsed_places, (std::vector<int>{0, 1, 2, 1, 3, 4}));
}

TEST(Tree, ALevelStandsForWhatItWasMergedWith) {
  std::vector<int> places;
  const auto full = flatten(lopsided(), places);
  std::vector<int> collapsed_places;
  const auto levels = collapse(full, collapsed_places);
  EXPECT_TRUE(levels[1].stands_for(LevelKind::package));
  EXPECT_TRUE(levels[1].stands_for(LevelKind::cache));
  EXPECT_TRUE(levels[1].stands_for(LevelKind::cache, 2));
  EXPECT_FALSE(levels[1].stands_for(LevelKind::cache, 3));
  EXPECT_FALSE(levels[1].stands_for(LevelKind::node));
  for (const int alone : {0, 2, 3, 4})
    for (const LevelKind kind : {LevelKind::package, LevelKind::cache, LevelKind::node})
      EXPECT_FALSE(levels[static_cast<std::size_t>(alone)].stands_for(kind)) << alone;
}

// machine( node( pu0 ) ): a root and a leaf are left, and the leaf is no other's.
TEST(Tree, AMachineOfOnePuStandsForAllButThePu) {
  const std::vector<Draft> drafts{{level(LevelKind::machine, 0, 1), {1}},
                                  {level(LevelKind::node, 0, 1), {2}},
                                  {level(LevelKind::pu, 0, 1), {}}};
  std::vector<int> places;
  const auto full = flatten(drafts, places);
  std::vector<int> collapsed_places;
  const auto levels = collapse(full, collapsed_places);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_TRUE(levels[0].stands_for(LevelKind::node));
  EXPECT_FALSE(levels[0].stands_for(LevelKind::pu));
  EXPECT_TRUE(levels[1].stands_for(LevelKind::pu));
}

TEST(Tree, CheckNamesWhatIsBroken) {
  std::vector<int> places;
  const auto good = flatten(lopsided(), places);
  EXPECT_NE(check_tree({}, 0), nullptr);
  EXPECT_NE(check_tree(good, 4), nullptr);
  const auto broken = [&](auto change) {
    auto levels = good;
    change(levels);
    return check_tree(levels, 3) != nullptr;
  };
  EXPECT_TRUE(broken([](auto& levels) { levels[1].parent = 2; }));
  EXPECT_TRUE(broken([](auto& levels) { levels[2].first_pu = 1; }));
  EXPECT_TRUE(broken([](auto& levels) { levels[1].pu_count = 1; }));
  EXPECT_TRUE(broken([](auto& levels) { levels[3].cache_depth = 0; }));
  EXPECT_TRUE(broken([](auto& levels) { levels[4].kind = LevelKind::core; }));
  EXPECT_TRUE(broken([](auto& levels) { levels[3].first_child = 1; }));
  EXPECT_TRUE(broken([](auto& levels) { levels.push_back(levels.back()); }));
  EXPECT_TRUE(broken([](auto& levels) { levels[0].child_count = 9; }));
}

}  // namespace
}  // namespace xylem::topo
