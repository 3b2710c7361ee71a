// Running a program to its end and timing it.
//
// Owns: run_child. Used by the command, not the runtime: it blocks signals while it waits.
#pragma once

#include <cstdint>

namespace xylem::os {

struct ChildEnd {
  int error = 0;           // negative errno: the program did not start, and the rest says nothing
  int status = 0;          // as waitpid() tells it
  bool stopped = false;    // it was killed at the limit
  int64_t elapsed_ns = 0;  // from before its start until its end
};

// Runs the program in a process group of its own, its input and outputs on /dev/null. The group is
// killed when `limit_ns` have passed, and when this process is asked to end by SIGINT, SIGTERM or
// SIGHUP, which then ends it. argv and variables end with a null pointer.
ChildEnd run_child(const char* path, char* const* argv, char* const* variables, int64_t limit_ns);

}  // namespace xylem::os
