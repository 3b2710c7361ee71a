// The user's file of a plan. Its last number follows from the rest, which no drawn text would have
// right: what is refused for that alone gets the right number and is read again.
#include <string>

#include "count/saved/saved_plan.hpp"
#include "fuzz.hpp"
#include "tool/run/plan_file.hpp"

using namespace xylem;

FUZZED(text) {
  count::SavedPlan plan, again;
  std::string why;
  const bool is_whole = tool::parse_plan_json(text, plan, why);
  if (!is_whole && why != "was changed since it was recorded") return;
  expect(count::is_unsound(plan) == nullptr);
  const std::vector<char> json = count::plan_json(plan);
  expect(tool::parse_plan_json({json.data(), json.size()}, again, why));
  expect(plan == again);
}
