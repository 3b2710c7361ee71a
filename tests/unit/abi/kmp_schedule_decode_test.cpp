// LLVM's numbers of schedules, and what omp/ is asked for.
#include <gtest/gtest.h>

#include "abi/kmp/schedule_decode.hpp"
#include "omp/team/query.hpp"

namespace xylem::abi::kmp {
namespace {

using omp::ChunkOrder;
using omp::LoopKind;

constexpr int32_t monotonic = 1 << 29;
constexpr int32_t nonmonotonic = 1 << 30;

void expect_schedule(int32_t number, int64_t chunk, LoopKind kind, uint64_t size,
                     bool whole = false) {
  const omp::Schedule schedule = decode_schedule(number, chunk).schedule;
  EXPECT_EQ(schedule.kind, kind) << number;
  if (kind != LoopKind::static_block || whole) {
    EXPECT_EQ(schedule.chunk, size) << number;
  }
  EXPECT_EQ(schedule.whole_chunks, whole) << number;
}

TEST(ScheduleNumbers, Plain) {
  expect_schedule(33, 5, LoopKind::static_chunk, 5);
  expect_schedule(34, 5, LoopKind::static_block, 0);
  expect_schedule(35, 5, LoopKind::dynamic, 5);
  expect_schedule(36, 5, LoopKind::guided, 5);
  expect_schedule(38, 5, LoopKind::guided, 5);  // auto, as libomp takes it
  expect_schedule(39, 5, LoopKind::guided, 5);
  expect_schedule(40, 5, LoopKind::static_block, 1, true);
  expect_schedule(41, 5, LoopKind::static_block, 0);
  expect_schedule(42, 5, LoopKind::guided, 5);
  expect_schedule(43, 5, LoopKind::guided, 5);
  expect_schedule(44, 5, LoopKind::dynamic, 5);
  expect_schedule(45, 5, LoopKind::static_block, 5, true);
  expect_schedule(46, 5, LoopKind::guided, 5, true);
}

TEST(ScheduleNumbers, RangesSayWhatIsBesides) {
  for (int32_t kind = 1; kind <= 15; ++kind) {
    const DecodedSchedule plain = decode_schedule(32 + kind, 4);
    EXPECT_FALSE(plain.ordered || plain.one_by_one || plain.among_teams) << kind;
    const DecodedSchedule lone = decode_schedule(160 + kind, 4);
    EXPECT_TRUE(lone.one_by_one && !lone.ordered) << kind;
    EXPECT_EQ(lone.schedule.kind, plain.schedule.kind);
    if (kind > 7) continue;
    const DecodedSchedule ordered = decode_schedule(64 + kind, 4);
    EXPECT_TRUE(ordered.ordered && !ordered.one_by_one) << kind;
    EXPECT_EQ(ordered.schedule.kind, plain.schedule.kind);
    EXPECT_EQ(ordered.runtime, plain.runtime);
    const DecodedSchedule both = decode_schedule(192 + kind, 4);
    EXPECT_TRUE(both.ordered && both.one_by_one) << kind;
    EXPECT_EQ(both.schedule.kind, plain.schedule.kind);
  }
}

TEST(ScheduleNumbers, AmongTeams) {
  EXPECT_TRUE(decode_schedule(91, 4).among_teams);
  EXPECT_TRUE(decode_schedule(92, 4).among_teams);
  expect_schedule(91, 4, LoopKind::static_chunk, 4);
  expect_schedule(92, 4, LoopKind::static_block, 0);
}

// Clang passes nonmonotonic where the clause says nothing: such loops ascend unless the user lets
// them do otherwise.
TEST(ScheduleNumbers, ModifiersOfDynamic) {
  EXPECT_EQ(decode_schedule(35 | monotonic, 1).schedule.order, ChunkOrder::monotonic);
  EXPECT_EQ(decode_schedule(35 | nonmonotonic, 1).schedule.order, ChunkOrder::unsaid);
  EXPECT_EQ(decode_schedule(35, 1).schedule.order, ChunkOrder::unsaid);
  EXPECT_EQ(decode_schedule(44, 1).schedule.order, ChunkOrder::any);
  EXPECT_EQ(decode_schedule(37 | monotonic, 1).schedule.order, ChunkOrder::monotonic);
  EXPECT_EQ(decode_schedule(37 | nonmonotonic, 1).schedule.order, ChunkOrder::unsaid);
  EXPECT_TRUE(decode_schedule(67 | nonmonotonic, 1).ordered);
  expect_schedule(36 | nonmonotonic, 3, LoopKind::guided, 3);
}

TEST(ScheduleNumbers, ChunksThatAreNotPositiveAreOne) {
  for (int64_t chunk : {INT64_C(0), INT64_C(-1), INT64_MIN}) {
    for (int32_t number : {33, 91}) expect_schedule(number, chunk, LoopKind::static_chunk, 1);
    expect_schedule(35, chunk, LoopKind::dynamic, 1);
    expect_schedule(36, chunk, LoopKind::guided, 1);
    expect_schedule(45, chunk, LoopKind::static_block, 1, true);
    expect_schedule(46, chunk, LoopKind::guided, 1, true);
  }
}

TEST(ScheduleNumbers, RuntimeIsAskedForLater) {
  for (int32_t number : {37, 47, 69, 165, 197}) {
    EXPECT_TRUE(decode_schedule(number, 4).runtime) << number;
    EXPECT_EQ(decode_schedule(number, 4).simd, number == 47);
  }
  EXPECT_FALSE(decode_schedule(38, 4).runtime);
}

TEST(ScheduleNumbers, RuntimeUnderSimdCountsInItsChunks) {
  omp::Icvs& icvs = omp::own_icvs();
  EXPECT_EQ(with_runtime(decode_schedule(37, 0)).kind, LoopKind::static_block) << "none given";
  icvs.run_sched_given = true;
  icvs.run_sched_kind = omp::ScheduleKind::guided_schedule;
  icvs.run_sched_chunk = 3;
  omp::Schedule schedule = with_runtime(decode_schedule(47, 4));
  EXPECT_EQ(schedule.kind, LoopKind::guided);
  EXPECT_EQ(schedule.chunk, 12u);
  EXPECT_TRUE(schedule.whole_chunks);
  schedule = with_runtime(decode_schedule(37, 4));
  EXPECT_EQ(schedule.chunk, 3u);
  EXPECT_FALSE(schedule.whole_chunks);
  icvs.run_sched_kind = omp::ScheduleKind::static_schedule;
  icvs.run_sched_chunk = 0;
  schedule = with_runtime(decode_schedule(47, 4));
  EXPECT_EQ(schedule.kind, LoopKind::static_block);
  EXPECT_EQ(schedule.chunk, 4u);
  EXPECT_TRUE(schedule.whole_chunks);
}

}  // namespace
}  // namespace xylem::abi::kmp
