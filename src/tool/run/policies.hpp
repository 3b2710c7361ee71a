// The policies by name or file, as the command lists and checks them.
#pragma once

#include <string>

namespace xylem::tool {

// What `--policy TEXT` gives the program: the name as it is, a file with its whole path, as the
// program may be elsewhere by the time it starts the runtime.
std::string policy_for_program(const std::string& text);

// Why the runtime would not use that policy, as a line for the user; empty if it would. A file is
// loaded into this process to find out.
std::string trouble_with_policy(const std::string& text);

// One line each on stdout, the default first, and how to name a file.
void print_policies();

}  // namespace xylem::tool
