// The policies by name, as the command lists and checks them.
#pragma once

#include <string>

namespace xylem::tool {

bool policy_exists(const std::string& name);

// False for a policy that needs time slices, which the runtime does not give yet. It must exist.
bool policy_runs(const std::string& name);

// "cache, places"
std::string policy_names();

// One line each on stdout, the default first.
void print_policies();

}  // namespace xylem::tool
