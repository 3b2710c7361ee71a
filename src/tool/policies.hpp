// The policies by name, as the command lists and checks them.
#pragma once

#include <string>

namespace xylem::tool {

bool policy_exists(const std::string& name);

// "cache, places"
std::string policy_names();

// One line each on stdout, the default first.
void print_policies();

}  // namespace xylem::tool
