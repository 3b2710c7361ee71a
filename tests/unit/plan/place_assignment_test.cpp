// Teams over places, against cases worked out by hand from section 2.6.2 of OpenMP 5.1, and the
// laws that the specification states for every case.
#include "plan/place_assignment.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xylem::plan {
namespace {

std::vector<PlaceAssignment> assign(PlaceBinding binding, int team, int parent,
                                    PlacePartition partition) {
  std::vector<PlaceAssignment> out(static_cast<std::size_t>(team));
  assign_places(binding, parent, partition, out);
  return out;
}

std::vector<int> places(const std::vector<PlaceAssignment>& team) {
  std::vector<int> numbers;
  for (const PlaceAssignment& thread : team) numbers.push_back(thread.place);
  return numbers;
}

// "first+count" of each thread's partition.
std::string partitions(const std::vector<PlaceAssignment>& team) {
  std::string text;
  for (const PlaceAssignment& thread : team)
    text +=
        std::to_string(thread.partition.first) + "+" + std::to_string(thread.partition.count) + " ";
  return text;
}

using Places = std::vector<int>;

TEST(PlaceAssignment, PrimaryPutsAllOnTheParentsPlace) {
  auto team = assign(PlaceBinding::primary, 4, 2, {0, 8});
  EXPECT_EQ(places(team), (Places{2, 2, 2, 2}));
  EXPECT_EQ(partitions(team), "0+8 0+8 0+8 0+8 ");
}

TEST(PlaceAssignment, CloseTakesTheFollowingPlaces) {
  auto team = assign(PlaceBinding::close, 4, 2, {0, 8});
  EXPECT_EQ(places(team), (Places{2, 3, 4, 5}));
  EXPECT_EQ(partitions(team), "0+8 0+8 0+8 0+8 ");
}

TEST(PlaceAssignment, CloseGoesRoundTheEndOfThePartition) {
  EXPECT_EQ(places(assign(PlaceBinding::close, 4, 6, {0, 8})), (Places{6, 7, 0, 1}));
  EXPECT_EQ(places(assign(PlaceBinding::close, 3, 7, {4, 4})), (Places{7, 4, 5}));
}

// The specification's examples document: 16 threads on 8 places, parent on place 2.
TEST(PlaceAssignment, CloseWithMoreThreadsKeepsNeighboursTogether) {
  EXPECT_EQ(places(assign(PlaceBinding::close, 16, 2, {0, 8})),
            (Places{2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 0, 0, 1, 1}));
}

TEST(PlaceAssignment, RoundWithMoreThreadsComesBackToThePlaces) {
  EXPECT_EQ(places(assign(PlaceBinding::round, 5, 2, {0, 3})), (Places{2, 0, 1, 2, 0}));
  EXPECT_EQ(places(assign(PlaceBinding::round, 3, 1, {0, 4})), (Places{1, 2, 3})) << "as close";
}

TEST(PlaceAssignment, CloseWithARestGivesTheFirstPlacesOneMore) {
  EXPECT_EQ(places(assign(PlaceBinding::close, 7, 1, {0, 3})), (Places{1, 1, 1, 2, 2, 0, 0}));
  EXPECT_EQ(places(assign(PlaceBinding::close, 5, 0, {0, 4})), (Places{0, 0, 1, 2, 3}));
}

TEST(PlaceAssignment, SpreadCutsThePartition) {
  auto team = assign(PlaceBinding::spread, 4, 0, {0, 8});
  EXPECT_EQ(places(team), (Places{0, 2, 4, 6}));
  EXPECT_EQ(partitions(team), "0+2 2+2 4+2 6+2 ");
}

// The parent's place need not be the first of its subpartition.
TEST(PlaceAssignment, SpreadStartsInTheParentsSubpartition) {
  auto team = assign(PlaceBinding::spread, 4, 3, {0, 8});
  EXPECT_EQ(places(team), (Places{3, 4, 6, 0}));
  EXPECT_EQ(partitions(team), "2+2 4+2 6+2 0+2 ");
}

TEST(PlaceAssignment, SpreadWithARestGivesTheFirstPartsOneMore) {
  auto team = assign(PlaceBinding::spread, 3, 0, {0, 8});
  EXPECT_EQ(places(team), (Places{0, 3, 6}));
  EXPECT_EQ(partitions(team), "0+3 3+3 6+2 ");
  EXPECT_EQ(places(assign(PlaceBinding::spread, 3, 7, {0, 8})), (Places{7, 0, 3}));
}

TEST(PlaceAssignment, SpreadWithAsManyThreadsAsPlaces) {
  auto team = assign(PlaceBinding::spread, 4, 5, {4, 4});
  EXPECT_EQ(places(team), (Places{5, 6, 7, 4}));
  EXPECT_EQ(partitions(team), "5+1 6+1 7+1 4+1 ");
}

TEST(PlaceAssignment, SpreadWithMoreThreadsNarrowsToOnePlace) {
  auto team = assign(PlaceBinding::spread, 16, 2, {0, 8});
  EXPECT_EQ(places(team), (Places{2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 0, 0, 1, 1}));
  EXPECT_EQ(partitions(team).substr(0, 12), "2+1 2+1 3+1 ");
}

TEST(PlaceAssignment, NestedSpreadThenCloseStaysInTheSubpartition) {
  auto outer = assign(PlaceBinding::spread, 2, 0, {0, 8});
  auto inner = assign(PlaceBinding::close, 4, outer[1].place, outer[1].partition);
  EXPECT_EQ(places(inner), (Places{4, 5, 6, 7}));
}

TEST(PlaceAssignment, AParentOutsideCountsAsTheFirst) {
  EXPECT_EQ(places(assign(PlaceBinding::close, 2, -1, {4, 4})), (Places{4, 5}));
  EXPECT_EQ(places(assign(PlaceBinding::spread, 2, 9, {4, 4})), (Places{4, 6}));
  EXPECT_EQ(places(assign(PlaceBinding::primary, 2, 0, {4, 4})), (Places{4, 4}));
}

TEST(PlaceAssignment, ASoloThreadKeepsTheWholePartition) {
  auto team = assign(PlaceBinding::spread, 1, 3, {0, 8});
  EXPECT_EQ(places(team), (Places{3}));
  EXPECT_EQ(partitions(team), "0+8 ");
}

TEST(PlaceAssignment, NothingToAssignIsNoError) {
  assign(PlaceBinding::spread, 0, 0, {0, 8});
  EXPECT_EQ(places(assign(PlaceBinding::close, 2, 0, {0, 0})), (Places{-1, -1}));
}

void check_laws(PlaceBinding binding, int team_size, int parent, PlacePartition whole) {
  auto team = assign(binding, team_size, parent, whole);
  std::vector<int> held(static_cast<std::size_t>(whole.count));
  for (const PlaceAssignment& thread : team) {
    ASSERT_GE(thread.partition.first, whole.first);
    ASSERT_LE(thread.partition.first + thread.partition.count, whole.first + whole.count);
    ASSERT_GE(thread.place, thread.partition.first);
    ASSERT_LT(thread.place, thread.partition.first + thread.partition.count);
    ++held[static_cast<std::size_t>(thread.place - whole.first)];
  }
  ASSERT_EQ(team[0].place, parent);
  int least = team_size / whole.count, most = (team_size + whole.count - 1) / whole.count;
  for (int count : held) {
    ASSERT_GE(count, least);
    ASSERT_LE(count, most);
  }
}

TEST(PlaceAssignment, LawsHoldForEverySmallCase) {
  for (PlaceBinding binding : {PlaceBinding::close, PlaceBinding::spread})
    for (int count = 1; count <= 9; ++count)
      for (int team = 1; team <= 20; ++team)
        for (int parent = 0; parent < count; ++parent) {
          SCOPED_TRACE(testing::Message() << team << " on " << count << " from " << parent);
          check_laws(binding, team, 5 + parent, {5, count});
        }
}

// Spread with T <= P: the subpartitions cover the partition without overlap.
TEST(PlaceAssignment, SubpartitionsPartition) {
  for (int count = 1; count <= 9; ++count)
    for (int team_size = 1; team_size <= count; ++team_size) {
      std::vector<int> covered(static_cast<std::size_t>(count));
      for (const PlaceAssignment& thread :
           assign(PlaceBinding::spread, team_size, count - 1, {0, count}))
        for (int i = 0; i < thread.partition.count; ++i)
          ++covered[static_cast<std::size_t>(thread.partition.first + i)];
      EXPECT_EQ(covered, std::vector<int>(static_cast<std::size_t>(count), 1));
    }
}

}  // namespace
}  // namespace xylem::plan
