// The laws of a set of levels; what interleaves is the model's (tests/model/level_bits.pml).
#include "sched/queue/level_bits.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "synthetic_machine.hpp"

namespace xylem::sched {
namespace {

class LevelSet : public testing::Test {
 protected:
  explicit LevelSet(const char* text = "node:2 core:3 pu:2")
      : machine_(test::draw(text)), bits_(machine_->levels()) {}

  int level(int pu) const { return machine_->pu_level(pu); }
  int node(int pu) const {
    int level = this->level(pu);
    while (machine_->levels()[static_cast<size_t>(level)].kind != topo::LevelKind::node)
      level = machine_->levels()[static_cast<size_t>(level)].parent;
    return level;
  }
  std::vector<int> pus(int below) const {
    std::vector<int> found;
    bits_.each_pu(below, [&](int pu) {
      found.push_back(pu);
      return false;
    });
    return found;
  }
  int nearest(int pu) const {
    return bits_.nearest_pu(level(pu), [](int) { return true; });
  }

  std::unique_ptr<topo::Machine> machine_;
  LevelBits bits_;
};

TEST_F(LevelSet, BeginsEmpty) {
  EXPECT_FALSE(bits_.any());
  EXPECT_EQ(nearest(0), -1);
}

TEST_F(LevelSet, AMemberIsFoundAtEachLevelAboveIt) {
  bits_.set(level(7));
  EXPECT_TRUE(bits_.any());
  EXPECT_TRUE(bits_.has(level(7)));
  EXPECT_FALSE(bits_.has(node(7)));
  EXPECT_TRUE(bits_.any_at_or_below(node(7)));
  EXPECT_FALSE(bits_.any_at_or_below(node(0)));
}

// More children than bits of a word.
class WideLevelSet : public LevelSet {
 protected:
  WideLevelSet() : LevelSet("pu:200") {}

  std::vector<int> children_from(int first) const {
    std::vector<int> found;
    bits_.each_child(0, first, [&](int child) {
      found.push_back(machine_->levels()[static_cast<size_t>(child)].first_pu);
      return false;
    });
    return found;
  }
};

TEST_F(WideLevelSet, ChildrenAreVisitedFromOneOnThenRound) {
  for (const int pu : {0, 63, 64, 65, 127, 128, 199}) bits_.set(level(pu));
  bits_.set(0);
  EXPECT_EQ(children_from(0), (std::vector<int>{0, 63, 64, 65, 127, 128, 199}));
  EXPECT_EQ(children_from(64), (std::vector<int>{64, 65, 127, 128, 199, 0, 63}));
  EXPECT_EQ(children_from(129), (std::vector<int>{199, 0, 63, 64, 65, 127, 128}));
  EXPECT_EQ(nearest(130), 199);
  EXPECT_EQ(nearest(66), 127);
}

TEST_F(WideLevelSet, TheVisitEndsWhereTheVisitorSaysSo) {
  for (const int pu : {3, 70, 150}) bits_.set(level(pu));
  int visits = 0;
  EXPECT_TRUE(bits_.each_child(0, 5, [&](int) { return ++visits == 2; }));
  EXPECT_EQ(visits, 2);
}

TEST_F(LevelSet, TheLastOneThatGoesTakesTheLevelsAboveWithIt) {
  bits_.set(level(7));
  bits_.set(level(8));
  EXPECT_FALSE(bits_.clear(level(7)));
  EXPECT_EQ(pus(0), std::vector<int>{8});
  EXPECT_FALSE(bits_.clear(level(8)));
  EXPECT_FALSE(bits_.any());
}

TEST_F(LevelSet, ALevelThatIsInItselfStaysWhenThoseBelowGo) {
  bits_.set(node(0));
  bits_.set(level(1));
  bits_.clear(level(1));
  EXPECT_TRUE(bits_.has(node(0)));
  EXPECT_TRUE(bits_.any());
  bits_.clear(node(0));
  EXPECT_FALSE(bits_.any());
}

TEST_F(LevelSet, NearestIsByDistanceAndNotByNumber) {
  bits_.set(level(0));
  bits_.set(level(10));
  EXPECT_EQ(nearest(6), 10);
  EXPECT_EQ(nearest(5), 0);
  bits_.set(level(7));
  EXPECT_EQ(nearest(6), 7);
  EXPECT_EQ(nearest(10), 10);
}

TEST_F(LevelSet, WhoDoesNotFitIsPassedOver) {
  for (int pu = 0; pu < 12; ++pu) bits_.set(level(pu));
  EXPECT_EQ(bits_.nearest_pu(level(3), [](int pu) { return pu > 8; }), 9);
}

class WideSet : public LevelSet {
 protected:
  WideSet() : LevelSet("core:200 pu:1") {}
};

TEST_F(WideSet, ALevelWithManyChildrenHasWordsForAllOfThem) {
  for (const int pu : {0, 63, 64, 127, 199}) bits_.set(level(pu));
  EXPECT_EQ(pus(0), (std::vector<int>{0, 63, 64, 127, 199}));
  for (const int pu : {0, 63, 127, 199}) bits_.clear(level(pu));
  EXPECT_TRUE(bits_.any());
  EXPECT_EQ(nearest(5), 64);
  bits_.clear(level(64));
  EXPECT_FALSE(bits_.any());
}

}  // namespace
}  // namespace xylem::sched
