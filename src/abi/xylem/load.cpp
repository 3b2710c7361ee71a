// Owns: what happens when the library is loaded: where libgomp would be loaded too the settings are
// read, so that they are what the process was started with, and shown if that is asked for; the
// interposing library, if it is there, learns whom to ask; an OMPT tool is expected, if there may
// be one; and fork() is stood from here on. Everything else waits for the first call.
#include "abi/ompt/start_tool.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/runtime.hpp"
#include "os/openmp_users.hpp"

namespace {

[[gnu::constructor]] void on_load() {
  xylem::omp::stand_fork();
  const bool show = xylem::os::libgomp_is_needed() && xylem::omp::capture_environment();
  xylem::omp::offer_waits();
  xylem::abi::ompt::expect_tool();
  if (show) xylem::omp::start_runtime();
}

}  // namespace
