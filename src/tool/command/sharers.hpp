// The processes that share the machine (docs/sharing.md), as the table in which they find each
// other tells: for `xylem doctor` and `xylem top`.
//
// Invariant: what is read decides nothing. Who has which processors is computed by the rule that
// the processes themselves compute it by (sched/share/division.hpp), for the time of the look.
#pragma once

#include <string>
#include <vector>

#include "os/cpus.hpp"

namespace xylem::tool {

struct Sharer {
  int process = 0;
  std::string command;  // its command line; "" if it cannot be read
  int needs = 0;        // processors that it could use now
  os::CpuSet cpus;      // which it may use
  os::CpuSet has;       // which are its own now
  os::CpuSet even;      // which were its own if all needed all that they may use
};

struct SharingSeen {
  std::string folder;           // where the table is
  int error = 0;                // 0, or the negative errno for which a process here has no row
  std::vector<Sharer> sharers;  // those that count now, in the order of their rows
};

// Reads the table, and makes it where there is none. `try_a_row`: also takes a row and writes that
// nothing is needed, as a process would that begins to take part; then `error` says whether one
// that starts here can. `runtime_folder`: $XDG_RUNTIME_DIR, or "".
SharingSeen read_sharing(const std::string& runtime_folder, bool try_a_row);

// $XDG_RUNTIME_DIR of a process, as it was started; "" if it has none, or cannot be read.
std::string runtime_folder_of(int process);

// "0-3,8"
std::string cpu_list(const os::CpuSet& cpus);

}  // namespace xylem::tool
