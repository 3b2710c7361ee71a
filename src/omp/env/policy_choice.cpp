// Owns: loading policies from files, and what is said when one cannot be had. See the header.
#include "omp/env/policy_choice.hpp"

#include <cstdio>
#include <cstring>

#include "base/report.hpp"
#include "os/files.hpp"
#include "os/shared_object.hpp"
#include "policy/foreign.hpp"

namespace xylem::omp {

namespace {

constexpr const char* symbol = "xylem_policy_object";

void say_why(PolicyChoice& choice, const char* before, const char* words) {
  std::snprintf(choice.reason.data(), choice.reason.size(), "%s%s", before, words);
}

PolicyChoice load_policy(const char* name) {
  PolicyChoice choice;
  os::PathBuffer path;
  if (std::strchr(name, '/') == nullptr) path.append("./");  // else the loader looks elsewhere
  path.append(name);
  std::array<char, 300> words;
  const os::LoadedObject object = os::load_object(path.c_str(), symbol, words);
  switch (object.state) {
    case os::ObjectState::missing:
      say_why(choice, "", "there is no such file");
      break;
    case os::ObjectState::unusable:
      say_why(choice, "it is no shared object that can be loaded: ", words.data());
      break;
    case os::ObjectState::no_symbol:
      say_why(choice, "", "it does not define xylem_policy_object (see xylem/policy.h)");
      break;
    case os::ObjectState::loaded: {
      const policy::Adoption adoption = policy::adopt(object.symbol);
      choice.policy = adoption.policy;
      if (choice.policy == nullptr) say_why(choice, "it ", adoption.reason.data());
      break;
    }
  }
  return choice;
}

}  // namespace

bool names_a_file(const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strchr(name, '/') != nullptr ||
         (length > 3 && std::strcmp(name + length - 3, ".so") == 0);
}

PolicyChoice find_policy(const char* name) {
  if (names_a_file(name)) return load_policy(name);
  PolicyChoice choice{policy::find(name)};
  if (choice.policy == nullptr) say_why(choice, "", "no policy is called so");
  return choice;
}

const policy::Policy& policy_or_default(const char* name) {
  const PolicyChoice choice = find_policy(name);
  if (choice.policy != nullptr) return *choice.policy;
  base::warn_once("XYLEM_POLICY='%.150s': %s; cache is used", name, choice.reason.data());
  return policy::cache;
}

}  // namespace xylem::omp
