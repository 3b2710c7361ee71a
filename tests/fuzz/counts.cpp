// The file of counts: what is read is written as it was read.
#include "count/table/counts_file.hpp"
#include "fuzz.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"

using namespace xylem;

// What the name of a file follows from while it is written: no file is written here.
pid_t os::thread_id() { __builtin_trap(); }
int64_t os::now_ns() { __builtin_trap(); }

FUZZED(text) {
  const auto counts = count::parse_counts(text);
  if (!counts.ok()) return;
  expect(is_text(count::counts_text(counts.value()), text));
}
