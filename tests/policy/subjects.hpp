// What this run of the suite is about: the policies and the cases.
//
// Without arguments: every policy of the registry, and the cases beside the suite. With arguments:
// the policies in those that are shared objects (see include/xylem/policy.h), by the laws, and
// those that end in .case.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "policy/policy.hpp"

namespace subjects {

// Filled by main(), before GoogleTest looks at its parameters.
std::vector<const xylem::policy::Policy*>& policies();

// The policy of that name, of the registry or of the arguments; or nullptr.
const xylem::policy::Policy* find(std::string_view name);

// Asks a policy. One that makes moves without end, or does not return, ends the program with its
// name.
xylem::plan::Plan place(const xylem::policy::Policy& chosen, const xylem::plan::View& view,
                        xylem::plan::Random& random);
xylem::plan::Plan tick(const xylem::policy::Policy& chosen, const xylem::plan::View& view,
                       int bubble, xylem::plan::Random& random);

// Makes a test of each case (cases_test.cpp).
void register_cases(const std::vector<std::filesystem::path>& cases);

}  // namespace subjects
