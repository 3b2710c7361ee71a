// Owns: the list of policies for codelets.
#include "hetero/policy/policy.hpp"

namespace xylem::hetero {

namespace {

constexpr PolicyKind kinds[] = {
    {"eager", "one queue, first come first served", make_eager},
    {"priority", "one queue, the highest priority first", make_priority},
    {"steal", "a queue for each executor; idle ones steal, near before far", make_steal},
    {"random", "a queue for each executor, chosen at random by the executors' speeds", make_random,
     true},
    {"earliest", "the executor that ends the task first, by models", make_earliest, true},
    {"data", "the same with the time to bring its data, the highest priority first", make_data,
     true},
};

}  // namespace

std::span<const PolicyKind> policy_kinds() { return kinds; }

const PolicyKind* find_policy(std::string_view name) {
  for (const PolicyKind& kind : kinds)
    if (name == kind.name) return &kind;
  return nullptr;
}

}  // namespace xylem::hetero
