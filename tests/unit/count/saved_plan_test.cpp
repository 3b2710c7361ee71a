// The lines of plans: what is written is read back, and nothing else is.
#include "count/saved/saved_plan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace xylem::count {
namespace {

SavedPlan some_plan() {
  SavedPlan plan{.machine = plan_text_of("4 nodes, 8 PUs, 12ab"),
                 .program = plan_text_of("app, 34cd"),
                 .threads = 8,
                 .page_bytes = 4096,
                 .arrays = {},
                 .loops = {}};
  plan.arrays.push_back({plan_text_of("app data"), 40960, {{0, 5, 3}, {5, 1, 0}, {8, 3, 1}}});
  plan.arrays.push_back({plan_text_of("app+0x12#0"), 65536, {}});
  plan.arrays.push_back({plan_text_of("app+0x12#1"), 65536, {{0, 17, 2}}});
  ScheduleRecorder record(3, 8);
  record.ran(0, 0, 3);
  record.ran(2, 3, 7);
  record.ran(0, 7, 8);
  const Schedule schedule = Schedule::of(record).value();
  plan.loops.push_back({plan_text_of("app+0x10"), 5, 2, schedule});
  plan.loops.push_back({plan_text_of("app+0x10"), 5, ~uint64_t{0}, schedule});
  return plan;
}

std::string text_of(const SavedPlan& plan) {
  const std::vector<char> lines = plan_lines(plan);
  return {lines.data(), lines.size()};
}

TEST(SavedPlan, IsReadBack) {
  const SavedPlan plan = some_plan();
  ASSERT_EQ(is_unsound(plan), nullptr);
  const base::Result<SavedPlan> read = parse_plan(text_of(plan));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value(), plan);
  EXPECT_EQ(plan_check(read.value()), plan_check(plan));
}

TEST(SavedPlan, TextsArePlain) {
  EXPECT_STREQ(plan_text_of("a\"b\\c\nd\xc3").data(), "a?b?c?d?");
  EXPECT_EQ(std::string(plan_text_of(std::string(500, 'x')).data()).size(), 127u);
}

TEST(SavedPlan, LawsThatAreBroken) {
  const auto breaks = [](auto change) {
    SavedPlan plan = some_plan();
    change(plan);
    EXPECT_NE(is_unsound(plan), nullptr);
    EXPECT_FALSE(parse_plan(text_of(plan)).ok());
  };
  breaks([](SavedPlan& plan) { plan.machine = {}; });
  breaks([](SavedPlan& plan) { plan.threads = 0; });
  breaks([](SavedPlan& plan) { plan.page_bytes = 0; });
  breaks([](SavedPlan& plan) { std::swap(plan.arrays[0], plan.arrays[1]); });
  breaks([](SavedPlan& plan) { plan.arrays[1].name = plan.arrays[0].name; });
  breaks([](SavedPlan& plan) { plan.arrays[0].bytes = 0; });
  breaks([](SavedPlan& plan) { plan.arrays[0].runs[1].first = 4; });
  breaks([](SavedPlan& plan) { plan.arrays[0].runs[0].count = 0; });
  breaks([](SavedPlan& plan) { plan.arrays[0].runs[2].count = 5; });
  breaks([](SavedPlan& plan) { plan.arrays[0].runs[2].count = UINT64_MAX; });
  breaks([](SavedPlan& plan) { plan.arrays[0].runs[0].node = 1024; });
  breaks([](SavedPlan& plan) { std::swap(plan.loops[0], plan.loops[1]); });
  breaks([](SavedPlan& plan) { plan.loops[1] = plan.loops[0]; });
  breaks([](SavedPlan& plan) { plan.loops[0].name = {}; });
  breaks([](SavedPlan& plan) { plan.loops[0].schedule = {}; });
  breaks([](SavedPlan& plan) { plan.arrays[0].runs[0].node = -1; });
}

TEST(SavedPlan, CutLinesAreRefused) {
  const std::string text = text_of(some_plan());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_plan(text.substr(0, length)).ok()) << length;
}

TEST(SavedPlan, DamagedLinesAreRefusedOrSound) {
  std::mt19937 random(19);
  const std::string text = text_of(some_plan());
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const base::Result<SavedPlan> read = parse_plan(damaged);
    if (read.ok()) {
      EXPECT_EQ(text_of(read.value()), damaged);
    }
  }
}

}  // namespace
}  // namespace xylem::count
