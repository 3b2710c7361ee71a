// Which processes `xylem top` can watch, and why not another one.
#pragma once

#include <string>
#include <vector>

namespace xylem::tool {

struct Watchable {
  int process = 0;
  long threads = 0;  // kernel threads
  std::string command;
};

// The processes of this user that run on Xylem, by number; of all users for root.
std::vector<Watchable> watchable_processes();

// One sentence, without its dot, on why this process cannot be watched; "" if it can.
std::string why_not_watchable(int process);

}  // namespace xylem::tool
