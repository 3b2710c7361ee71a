// Owns: what happens when the library is loaded: the settings are read, so that they are what the
// process was started with, and shown if that is asked for; and fork() is stood from here on.
// Everything else waits for the first call.
#include "omp/runtime.hpp"
#include "omp/settings.hpp"

namespace {

[[gnu::constructor]] void on_load() {
  xylem::omp::stand_fork();
  if (xylem::omp::capture_environment()) xylem::omp::start_runtime();
}

}  // namespace
