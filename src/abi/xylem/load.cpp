// Owns: what happens when the library is loaded: the settings are read, so that they are what the
// process was started with, and shown if that is asked for; the interposing library, if it is
// there, learns whom to ask; and fork() is stood from here on.
// Everything else waits for the first call.
#include "omp/env/settings.hpp"
#include "omp/team/runtime.hpp"

namespace {

[[gnu::constructor]] void on_load() {
  xylem::omp::stand_fork();
  const bool show = xylem::omp::capture_environment();
  xylem::omp::offer_waits();
  if (show) xylem::omp::start_runtime();
}

}  // namespace
