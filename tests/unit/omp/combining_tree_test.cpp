// The tree in which a team's members meet: its shape, and that only the last one completes it.
#include "omp/sync/combining_tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "omp/team/team.hpp"

namespace xylem::omp {
namespace {

// Just what a tree of so many nodes asks for: a sanitizer sees one that takes more.
class Memory {
 public:
  explicit Memory(int nodes) {
    if (posix_memalign(&memory_, CombiningTree::line, CombiningTree::bytes_for(nodes)) != 0)
      abort();
  }
  ~Memory() { std::free(memory_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

class Trees : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  Trees() { tree_.open(memory_.get(), n_, span_); }

  const int n_ = std::get<0>(GetParam()), span_ = std::get<1>(GetParam());
  const int nodes_ = CombiningTree::nodes_for(n_, span_);
  const Memory memory_{nodes_};
  CombiningTree tree_;
};

TEST_P(Trees, TakesTheRoomThatWasAskedFor) { EXPECT_EQ(tree_.count(), nodes_); }

TEST_P(Trees, EveryNodeButTheRootHasAParentThatCountsIt) {
  std::map<const CombiningTree::Node*, unsigned> children;
  for (int i = 0; i + 1 < tree_.count(); ++i) ++children[tree_.above(tree_.at(i))];
  EXPECT_EQ(tree_.above(tree_.root()), nullptr);
  for (const auto& [node, count] : children) EXPECT_EQ(node->arrived.size(), count);
}

TEST_P(Trees, NoMoreThanEightMeetAtANode) {
  for (int i = 0; i < tree_.count(); ++i) {
    EXPECT_GE(tree_.at(i).arrived.size(), 1U);
    EXPECT_LE(tree_.at(i).arrived.size(), 8U);
  }
}

TEST_P(Trees, TheLastOneToArriveCompletesItInEachGeneration) {
  for (uint32_t generation = 0; generation < 3; ++generation)
    for (int i = 0; i < n_; ++i) {
      const int member = generation % 2 == 0 ? i : n_ - 1 - i;
      EXPECT_EQ(tree_.arrive(member, generation), i == n_ - 1) << member;
    }
}

TEST_P(Trees, TheLastOneToDepartCompletesItAndMemberZeroDepartsNot) {
  for (int member = 1; member < n_; ++member)
    EXPECT_EQ(tree_.depart_first(member), member == n_ - 1) << member;
}

TEST_P(Trees, EachMemberHasBitsOfItsOwn) {
  std::set<std::pair<const void*, int>> seen;
  for (int member = 0; member < n_; ++member) {
    EXPECT_LE(tree_.shift_of(member), 64 - CombiningTree::bits_a_member);
    EXPECT_TRUE(seen.insert({&tree_.lowest_of(member), tree_.shift_of(member)}).second);
  }
}

TEST_P(Trees, MembersOfTwoMemoryNodesShareNoLowestNode) {
  if (span_ == 1) return;  // then they are what meets
  std::map<const void*, int> spans;
  for (int member = 0; member < n_; ++member)
    EXPECT_EQ(spans.emplace(&tree_.lowest_of(member), member / span_).first->second,
              member / span_);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Trees,
                         testing::Values(std::tuple{2, 2}, std::tuple{4, 4}, std::tuple{5, 5},
                                         std::tuple{4, 2}, std::tuple{3, 1}, std::tuple{7, 3},
                                         std::tuple{16, 4}, std::tuple{16, 1}, std::tuple{17, 4},
                                         std::tuple{64, 16}, std::tuple{65, 16}, std::tuple{100, 7},
                                         std::tuple{256, 64}));

TEST(CombiningTrees, MeetByEightsAndThenByFours) {
  EXPECT_EQ(CombiningTree::nodes_for(256, 256), 32 + 8 + 2 + 1);
}

TEST(CombiningTrees, AnArrivalCanBeTakenBack) {
  CombiningTree::Counter counter;
  counter.set_size(2);
  EXPECT_FALSE(counter.add_completes(1));
  counter.take_back();
  EXPECT_FALSE(counter.add_completes(1));
  EXPECT_TRUE(counter.add_completes(1));
}

// What is written once a barrier, and what who sleeps writes, do not share a line with each other,
// nor with what members read when they begin: two lines. Blocks begin at a line.
TEST(TeamLines, ThoseThatAreWrittenStandApart) {
  Team team;
  const auto line = [&team](const void* field) {
    return (static_cast<const char*>(field) - reinterpret_cast<const char*>(&team)) / 64;
  };
  const auto end_line = [&line](const auto& field) {
    return line(reinterpret_cast<const char*>(&field + 1) - 1);
  };
  const auto first = line(&team.kind);
  EXPECT_LT(line(&team.seed_ranges_used), first);
  EXPECT_EQ(line(&team.known), first) << "who opens a team of its own reads that";
  EXPECT_EQ(end_line(team.floats), first);
  for (const void* read : std::initializer_list<const void*>{
           &team.on_kept_threads, &team.times_by_member, &team.begins_plainly, &team.level,
           &team.active_level, &team.n, &team.maker, &team.function, &team.data, &team.tree,
           &team.tasks.queues})
    EXPECT_EQ(line(read), first + 1);
  EXPECT_EQ(end_line(team.tasks.queues), first + 1);
  const std::set written = {line(&team.join_word), line(&team.barrier), line(&team.sleepers)};
  EXPECT_EQ(written.size(), 3U);
  EXPECT_GT(*written.begin(), first + 1);
  EXPECT_EQ(line(&team.join_word), line(&team.tasks.left_child_tasks));
  EXPECT_EQ(line(&team.barrier), line(&team.child_icvs));
  EXPECT_EQ(end_line(team.child_icvs), line(&team.barrier));
}

}  // namespace
}  // namespace xylem::omp
