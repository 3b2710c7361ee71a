// A recorded schedule of a loop: each iteration has one thread, and what is read is written as it
// was read.
#include "count/engine/schedules.hpp"
#include "fuzz.hpp"

using namespace xylem;

FUZZED(text) {
  const auto schedule = count::Schedule::parse(text);
  if (!schedule.ok()) return;
  const count::Schedule& read = schedule.value();
  for (uint64_t i = 0; i < read.iterations(); ++i)
    expect(read.owner(i) >= 0 && read.owner(i) < read.threads());
  expect(is_text(read.text(), text));
}
