// Collapsed loop nests: their points, one by one, beside the nest run as it is written.
#include "omp/loops/loop_nest.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace xylem::omp {
namespace {

using Point = std::vector<int64_t>;

// Runs the loops from `level` on.
void run_from(const std::vector<NestLevel>& levels, Point& at, std::vector<Point>& points) {
  const size_t level = at.size();
  if (level == levels.size()) {
    points.push_back(at);
    return;
  }
  const NestLevel& loop = levels[level];
  const int64_t outer = loop.depends() ? at[loop.outer] : 0;
  const auto slope = [outer](uint64_t by) { return static_cast<int64_t>(by) * outer; };
  const int64_t last = static_cast<int64_t>(loop.last) + slope(loop.last_slope);
  for (int64_t i = static_cast<int64_t>(loop.first) + slope(loop.first_slope);; i += loop.step) {
    if (loop.step > 0 ? i > last : i < last) return;
    if (loop.strict && i == last) return;
    at.push_back(i);
    run_from(levels, at, points);
    at.pop_back();
  }
}

void expect_same_points(const std::vector<NestLevel>& levels) {
  std::vector<Point> points;
  Point at;
  run_from(levels, at, points);
  const LoopNest nest(levels);
  ASSERT_EQ(nest.points(), points.size());
  std::vector<uint64_t> values(levels.size());
  for (size_t i = 0; i < points.size(); ++i) {
    nest.find(i, values.data());
    for (size_t level = 0; level < levels.size(); ++level)
      ASSERT_EQ(static_cast<int64_t>(values[level]), points[i][level]) << "point " << i;
  }
}

NestLevel level(int64_t first, int64_t last, int64_t step = 1) {
  NestLevel made;
  made.type = made.variable = {32, true};
  made.first = static_cast<uint64_t>(first);
  made.last = static_cast<uint64_t>(last);
  made.step = step;
  return made;
}

NestLevel leaning(unsigned outer, int64_t first, int64_t first_slope, int64_t last,
                  int64_t last_slope, int64_t step = 1) {
  NestLevel made = level(first, last, step);
  made.outer = outer;
  made.first_slope = static_cast<uint64_t>(first_slope);
  made.last_slope = static_cast<uint64_t>(last_slope);
  return made;
}

TEST(LoopNest, Rectangles) {
  expect_same_points({level(0, 6)});
  expect_same_points({level(-3, 4, 2), level(9, -9, -4)});
  expect_same_points({level(0, 3), level(5, 4), level(0, 3)});
}

TEST(LoopNest, Triangles) {
  expect_same_points({level(0, 9), leaning(0, 0, 0, 0, 1)});
  expect_same_points({level(0, 9), leaning(0, 0, 0, -1, 1)});
  expect_same_points({level(0, 9), leaning(0, 0, 1, 9, 0)});
  expect_same_points({level(-7, 9, 3), leaning(0, 0, 2, 4, -1, 2)});
}

// i; j from i; k from j: as LLVM's own test of leaning nests.
TEST(LoopNest, ChainsOfThree) {
  expect_same_points(
      {level(-2, 3, 5), leaning(0, -7, 1, 13, 1, 9), leaning(1, -20, 1, 111, 1, 10)});
  expect_same_points({level(0, 6), leaning(0, 0, 0, 0, 1), leaning(1, 0, 0, 0, 1)});
  expect_same_points({level(0, 6), leaning(0, 0, 0, 0, 1), leaning(0, 0, 0, 0, 1), level(0, 2)});
}

TEST(LoopNest, ManyLoopsThatLeanAnyhow) {
  std::mt19937 random(7);
  const auto pick = [&random](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<NestLevel> levels{level(pick(-4, 4), pick(-4, 4), pick(0, 1) ? 1 : -2)};
    for (int depth = pick(1, 3); depth > 0; --depth) {
      const auto outer = static_cast<unsigned>(pick(0, static_cast<int>(levels.size()) - 1));
      levels.push_back(leaning(outer, pick(-3, 3), pick(-2, 2), pick(-3, 3), pick(-2, 2),
                               pick(0, 1) ? pick(1, 3) : -pick(1, 3)));
      levels.back().strict = pick(0, 1) != 0;
    }
    expect_same_points(levels);
  }
}

// No row is looked at where counts do not differ: this nest would take hours.
TEST(LoopNest, LongNestsAreCountedAtOnce) {
  NestLevel wide = level(0, 0);
  wide.type = wide.variable = {64, false};
  wide.last = uint64_t{1} << 40;
  wide.strict = true;
  NestLevel parallel = wide;
  parallel.first = 0;
  parallel.first_slope = parallel.last_slope = 3;
  parallel.last = 1000;
  const std::vector<NestLevel> levels{wide, parallel, level(1, 5)};
  const LoopNest nest(levels);
  EXPECT_EQ(nest.points(), (uint64_t{1} << 40) * 5000);
  uint64_t values[3];
  nest.find(nest.points() - 1, values);
  EXPECT_EQ(values[0], (uint64_t{1} << 40) - 1);
  EXPECT_EQ(values[1], 3 * values[0] + 999);
  EXPECT_EQ(values[2], 5u);
}

// Bounds are computed in their type, and the variable may be narrower.
TEST(LoopNest, TypesWrapAroundAsTheProgramsDo) {
  NestLevel bytes = level(250, 255);
  bytes.type = {32, false};
  bytes.variable = {8, true};
  const std::vector<NestLevel> levels{bytes};
  uint64_t value;
  LoopNest(levels).find(5, &value);
  EXPECT_EQ(static_cast<int64_t>(value), -1);

  NestLevel empty = level(0, 0);
  empty.type = empty.variable = {32, false};
  empty.strict = true;
  EXPECT_EQ(empty.iterations(0), 0u);
  NestLevel all = level(0, UINT32_MAX);
  all.type = all.variable = {32, false};
  EXPECT_EQ(all.iterations(0), uint64_t{1} << 32);
}

}  // namespace
}  // namespace xylem::omp
