// Policies from outside the library: what an object built against include/xylem/policy.h exports,
// as a Policy like any other.
//
// Owns: the table of adopted policies. Invariant: a Policy from adopt() lives as long as the
// process and asks the object that it came from; its answers are Plans like any other's. Who loads
// the object is not our business, as this layer makes no system calls (omp/env/policy_choice.hpp
// does).
#pragma once

#include <array>

#include "policy/policy.hpp"

namespace xylem::policy {

// How many objects a process can adopt.
inline constexpr int most_foreign = 16;

struct Adoption {
  const Policy* policy = nullptr;  // nullptr: refused
  std::array<char, 200> reason{};  // why: goes on a sentence that begins with the object's name
};

// `exported` is the address of the object's xylem_policy_object, which must stay as it is for ever.
// The same address gives the same Policy. One thread at a time.
Adoption adopt(const void* exported);

// True for what came from adopt().
bool is_foreign(const Policy& policy);

}  // namespace xylem::policy
