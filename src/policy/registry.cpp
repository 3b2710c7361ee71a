// The list of policies. A new policy is one file and one line here and in policy.hpp.
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

constinit const Policy* const all[] = {&cache,         &spread, &memory, &burst,  &gang,
                                       &gang_per_node, &steal,  &null,   &random, &places};

}  // namespace

std::span<const Policy* const> registry() { return all; }

const Policy* find(std::string_view name) {
  for (const Policy* policy : all)
    if (policy->name == name) return policy;
  return nullptr;
}

}  // namespace xylem::policy
