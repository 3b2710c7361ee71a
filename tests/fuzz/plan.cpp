// The lines in which `xylem run --apply` hands a plan to the runtime: what is read is sound, and is
// written as it was read.
#include "count/saved/saved_plan.hpp"
#include "fuzz.hpp"

using namespace xylem;

FUZZED(text) {
  const auto plan = count::parse_plan(text);
  if (!plan.ok()) return;
  expect(count::is_unsound(plan.value()) == nullptr);
  expect(is_text(count::plan_lines(plan.value()), text));
}
