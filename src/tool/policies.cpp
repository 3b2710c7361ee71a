// The policies by name: all come from policy::registry().
#include "tool/policies.hpp"

#include <fmt/core.h>

#include "policy/policy.hpp"

namespace xylem::tool {

bool policy_exists(const std::string& name) { return policy::find(name) != nullptr; }

std::string policy_names() {
  std::string names;
  for (const policy::Policy* policy : policy::registry()) {
    if (!names.empty()) names += ", ";
    names += policy->name;
  }
  return names;
}

void print_policies() {
  for (const policy::Policy* policy : policy::registry()) {
    fmt::print("{:<8} {}\n", policy->name, policy->help);
  }
}

}  // namespace xylem::tool
