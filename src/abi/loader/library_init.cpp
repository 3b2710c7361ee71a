// Owns: the call that every library's initialisation makes, by which the runtime learns that the
// program opens one.
#include "base/export.hpp"
#include "sched/sched.hpp"

// crti.o, which every library is linked with, calls this first of all if there is such a function.
// It is meant for profilers. The loader has set up the thread-local data of the library, and of all
// that came with it, by then. At the start of the process others call it before this library is set
// up itself.
extern "C" XYLEM_EXPORT void __gmon_start__() {  // NOLINT(bugprone-reserved-identifier): crti.o's
  xylem::sched::library_opened();
}
