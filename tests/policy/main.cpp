// policy_cases [GoogleTest's options] [POLICY.so ...] [FILE.case ...]: see subjects.hpp.
//
// A thread watches how long a policy takes, as the runtime's monitor does: one that does not end is
// named and ends the program (in builds with checks).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/report.hpp"
#include "omp/env/policy_choice.hpp"
#include "os/clock.hpp"
#include "plan/check.hpp"
#include "sched/group/decision.hpp"
#include "subjects.hpp"

namespace {

using xylem::policy::Policy;
namespace plan = xylem::plan;

bool load(const char* file) {
  const xylem::omp::PolicyChoice choice = xylem::omp::find_policy(file);
  if (choice.policy == nullptr)
    std::fprintf(stderr, "policy_cases: '%s': %s\n", file, choice.reason.data());
  else
    subjects::policies().push_back(choice.policy);
  return choice.policy != nullptr;
}

std::vector<std::filesystem::path> all_cases() {
  std::vector<std::filesystem::path> cases;
  for (const auto& entry : std::filesystem::directory_iterator(XYLEM_CASES_DIR))
    if (entry.path().extension() == ".case") cases.push_back(entry.path());
  return cases;
}

// False if an argument cannot be used.
bool read_arguments(int count, char** words) {
  std::vector<std::filesystem::path> cases;
  bool named = false;
  for (int i = 1; i < count; ++i) {
    const std::filesystem::path path(words[i]);
    if (words[i][0] == '-') continue;  // GoogleTest's
    named = true;
    if (path.extension() == ".case")
      cases.push_back(path);
    else if (!load(words[i]))
      return false;
  }
  if (!named) {
    subjects::policies().assign(xylem::policy::registry().begin(), xylem::policy::registry().end());
    cases = all_cases();
    if (cases.empty()) std::fprintf(stderr, "policy_cases: no case in " XYLEM_CASES_DIR "\n");
    if (cases.empty()) return false;
  }
  std::sort(cases.begin(), cases.end());
  subjects::register_cases(cases);
  return true;
}

// One that goes on for ever cannot be told to stop, only ended.
void refuse(void* chosen) {
  xylem::base::fatal("policy \"%s\": makes more moves than there is to move: does it end?",
                     static_cast<const Policy*>(chosen)->name.data());
}

}  // namespace

namespace subjects {

std::vector<const Policy*>& policies() {
  static std::vector<const Policy*> all;
  return all;
}

const Policy* find(std::string_view name) {
  for (const Policy* policy : policies())
    if (policy->name == name) return policy;
  return xylem::policy::find(name);
}

plan::Plan place(const Policy& chosen, const plan::View& view, plan::Random& random) {
  plan::Plan answer;
  answer.limit(plan::most_moves(view), refuse, const_cast<Policy*>(&chosen));
  const xylem::sched::Deciding watched(chosen, "place");
  chosen.place(view, random, answer);
  return answer;
}

plan::Plan tick(const Policy& chosen, const plan::View& view, int bubble, plan::Random& random) {
  plan::Plan answer;
  answer.limit(plan::most_moves(view), refuse, const_cast<Policy*>(&chosen));
  const xylem::sched::Deciding watched(chosen, "tick");
  chosen.tick(view, bubble, random, answer);
  return answer;
}

}  // namespace subjects

int main(int count, char** words) {
  if (!read_arguments(count, words)) return 2;
  testing::InitGoogleTest(&count, words);
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    while (!done) {
      xylem::sched::watch_decisions(xylem::os::now_ns());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const int result = RUN_ALL_TESTS();
  done = true;
  watcher.join();
  return result;
}
