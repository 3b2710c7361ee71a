// The policies by name or file: names come from policy::registry(), files are loaded as the runtime
// does it.
#include "tool/run/policies.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "omp/env/policy_choice.hpp"

namespace xylem::tool {

namespace {

// "cache, places"
std::string policy_names() {
  std::string names;
  for (const policy::Policy* policy : policy::registry()) {
    if (!names.empty()) names += ", ";
    names += policy->name;
  }
  return names;
}

}  // namespace

std::string policy_for_program(const std::string& text) {
  return omp::names_a_file(text.c_str()) ? std::filesystem::absolute(text).string() : text;
}

std::string trouble_with_policy(const std::string& text) {
  const omp::PolicyChoice choice = omp::find_policy(text.c_str());
  if (choice.policy == nullptr && omp::names_a_file(text.c_str()))
    return fmt::format("--policy '{}': {}", text, choice.reason.data());
  if (choice.policy == nullptr)
    return fmt::format("there is no policy '{}'; choose one of {} (`--policy help` explains)", text,
                       policy_names());
  return {};
}

void print_policies() {
  for (const policy::Policy* policy : policy::registry())
    fmt::print("{:<14} {}\n", policy->name, policy->help);
  fmt::print("{:<14} one of your own: a shared object built against xylem/policy.h\n", "./FILE.so");
}

}  // namespace xylem::tool
