// The policies by name: all come from policy::registry().
#include "tool/policies.hpp"

#include <fmt/core.h>

#include "policy/policy.hpp"

namespace xylem::tool {

bool policy_exists(const std::string& name) { return policy::find(name) != nullptr; }

bool policy_runs(const std::string& name) { return policy::find(name)->tick == nullptr; }

std::string policy_names() {
  std::string names;
  for (const policy::Policy* policy : policy::registry()) {
    if (policy->tick) continue;
    if (!names.empty()) names += ", ";
    names += policy->name;
  }
  return names;
}

void print_policies() {
  for (const policy::Policy* policy : policy::registry()) {
    fmt::print("{:<14} {}{}\n", policy->name, policy->help,
               policy->tick ? " [not in programs yet]" : "");
  }
}

}  // namespace xylem::tool
