// Files of plans: what the runtime writes is read back; whatever else a file holds is refused with
// a reason, and reading it is safe.
#include "tool/run/plan_file.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace xylem::tool {
namespace {

count::SavedPlan some_plan() {
  count::SavedPlan plan{.machine = count::plan_text_of("4 nodes, 8 PUs, 12ab"),
                        .program = count::plan_text_of("app, 34cd"),
                        .threads = 8,
                        .page_bytes = 4096,
                        .arrays = {},
                        .loops = {}};
  plan.arrays.push_back({count::plan_text_of("app data"), 40960, {{0, 5, 3}, {5, 1, 0}}});
  plan.arrays.push_back({count::plan_text_of("app+0x12#0"), 65536, {{0, 17, 2}}});
  count::ScheduleRecorder record(3, 8);
  record.ran(0, 0, 3);
  record.ran(2, 3, 7);
  record.ran(0, 7, 8);
  const auto schedule = count::Schedule::of(record).value();
  plan.loops.push_back({count::plan_text_of("app+0x10"), 5, 2, schedule});
  plan.loops.push_back({count::plan_text_of("app+0x10"), 5, ~uint64_t{0}, schedule});
  return plan;
}

std::string json_of(const count::SavedPlan& plan) {
  const std::vector<char> text = count::plan_json(plan);
  return {text.data(), text.size()};
}

std::string trouble(const std::string& text) {
  count::SavedPlan plan;
  std::string why;
  return parse_plan_json(text, plan, why) ? "" : why;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PlanFile, IsReadBack) {
  for (const count::SavedPlan& plan : {some_plan(), [] {
                                         count::SavedPlan bare = some_plan();
                                         bare.arrays.clear();
                                         bare.loops.clear();
                                         return bare;
                                       }()}) {
    count::SavedPlan read;
    std::string why;
    ASSERT_TRUE(parse_plan_json(json_of(plan), read, why)) << why;
    EXPECT_EQ(read, plan);
  }
}

TEST(PlanFile, WhatIsEditedIsRefused) {
  const std::string text = json_of(some_plan());
  EXPECT_EQ(trouble(with(text, "[5,1,0]", "[5,1,1]")), "was changed since it was recorded");
  EXPECT_EQ(trouble(with(text, "40960", "40961")), "was changed since it was recorded");
  EXPECT_EQ(trouble(with(text, "34cd", "34ce")), "was changed since it was recorded");
  EXPECT_EQ(trouble(with(text, "\"check\"", "\"chuck\"")), "was changed since it was recorded");
  EXPECT_EQ(trouble(with(text, "[5,1,0]", "[4,1,0]")), "cannot be: runs of pages are out of order");
  EXPECT_EQ(trouble(with(text, "[5,1,0]", "[5,1]")), "lacks something that a plan has");
  EXPECT_EQ(trouble(with(text, "[5,1,0]", "[5,1,-1]")), "lacks something that a plan has");
  EXPECT_EQ(trouble(with(text, "40960", "40960.5")), "lacks something that a plan has");
  EXPECT_EQ(trouble(with(text, "\"xylem_plan\": 2", "\"xylem_plan\": 1")),
            "has version 1, and this Xylem reads 2");
  EXPECT_EQ(trouble(with(text, "\"working 2\"", "\"working 1\"")),
            "lacks something that a plan has");
  EXPECT_EQ(trouble(with(text, "\"step\": 2", "\"step\": 3")), "was changed since it was recorded");
  EXPECT_EQ(trouble(with(text, "\"step\": 2", "\"step\": -2")), "lacks something that a plan has");
  EXPECT_EQ(trouble("{}"), "is none that xylem run --record wrote");
  EXPECT_EQ(trouble("[]"), "is none that xylem run --record wrote");
  EXPECT_EQ(trouble(with(text, "  ", "\t")), "");  // blanks say nothing
}

TEST(PlanFile, WhatIsCutIsRefused) {
  const std::string text = json_of(some_plan());
  for (std::size_t length = 0; length + 1 < text.size(); ++length)  // the last letter ends the line
    EXPECT_EQ(trouble(text.substr(0, length)), "is no JSON: it is cut off or damaged") << length;
}

TEST(PlanFile, WhatIsDamagedIsRefusedOrTheSame) {
  std::mt19937 random(19);
  const count::SavedPlan plan = some_plan();
  const std::string text = json_of(plan);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      const std::size_t at = random() % damaged.size();
      if (random() % 3 == 0)
        damaged.erase(at, 1 + random() % 8);
      else if (random() % 2 == 0)
        damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 16));
      else
        damaged[at] = static_cast<char>(random() % 256);
    }
    count::SavedPlan read;
    std::string why;
    if (parse_plan_json(damaged, read, why)) {
      EXPECT_EQ(read, plan) << damaged;
    }
  }
  EXPECT_FALSE(trouble(std::string(100000, '[')).empty());
}

}  // namespace
}  // namespace xylem::tool
