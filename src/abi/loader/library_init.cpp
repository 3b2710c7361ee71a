// Owns: the call that every library's initialisation makes, by which the runtime learns that the
// program opens one, and what the process was given before any library's constructor ran.
#include "base/export.hpp"
#include "os/starting_affinity.hpp"
#include "sched/sched.hpp"

namespace {

constinit bool is_set_up = false;
[[gnu::constructor]] void set_up() { is_set_up = true; }

}  // namespace

// crti.o, which every library is linked with, calls this first of all if there is such a function.
// It is meant for profilers. The loader has set up the thread-local data of the library, and of all
// that came with it, by then. At the start of the process others call it before this library is set
// up itself, and before AddressSanitizer is, whose checks would crash then: is_set_up is looked at
// without them.
// NOLINTNEXTLINE(bugprone-reserved-identifier): crti.o's
extern "C" XYLEM_EXPORT __attribute__((no_sanitize("address", "thread"))) void __gmon_start__() {
  xylem::os::keep_starting_affinity();
  if (is_set_up) xylem::sched::library_opened();
}
