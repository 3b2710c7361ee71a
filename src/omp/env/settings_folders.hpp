// Owns: where the user's files of ours go, by the environment.
#pragma once

namespace xylem::omp {

// The folder for what can be made again, $XDG_CACHE_HOME or $HOME/.cache, absolute; "" where there
// is none, and in a process with raised privileges. Lives as long as the process; read at the first
// call, which is the runtime's start.
const char* cache_folder();

// The folder for what goes with the user's session, $XDG_RUNTIME_DIR, absolute; "" likewise. The
// same holds for its life.
const char* runtime_folder();

}  // namespace xylem::omp
