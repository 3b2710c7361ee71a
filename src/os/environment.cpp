// What the environment says, and adding a variable to it for a moment: see environment.hpp.
#include "os/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace xylem::os {

namespace {

constexpr std::size_t kMostVariables = 4096;
constinit std::array<char*, kMostVariables> g_variables{};
// Written by whoever makes or ends a ScopedVariable; true while g_variables is one's own.
constinit std::atomic<bool> g_taken{false};

// Whether both begin with the same letters up to the first `end`, that included.
bool same_until(const char* variable, const char* assignment, const char* end) {
  const std::size_t length = std::strcspn(assignment, end) + 1;
  return std::strncmp(variable, assignment, length) == 0;
}

std::size_t count_of(char** variables) {
  std::size_t count = 0;
  while (variables[count] != nullptr) ++count;
  return count;
}

// Room for so many variables and the null behind them; null if they are too many. What is made
// beside g_variables is never freed: somebody may be reading it.
char** room_for(std::size_t count, bool privileged) {
  if (count < kMostVariables) return g_variables.data();
  return privileged ? new char*[count + 1] : nullptr;
}

// `from` behind `assignment`; null if the name is there already or they are too many. In a process
// with raised privileges without those whose names begin like the assignment's.
char** with_variable(const char* assignment, char** from) {
  const bool privileged = has_raised_privileges();
  char** out = room_for(count_of(from) + 1, privileged);
  if (out == nullptr) return nullptr;
  std::size_t count = 0;
  out[count++] = const_cast<char*>(assignment);
  for (; *from != nullptr; ++from) {
    if (privileged && same_until(*from, assignment, "_")) continue;
    if (same_until(*from, assignment, "=")) return nullptr;
    out[count++] = *from;
  }
  out[count] = nullptr;
  return out;
}

}  // namespace

bool has_raised_privileges() { return getauxval(AT_SECURE) != 0; }

const char* variable(const char* name) {
  return has_raised_privileges() ? nullptr : std::getenv(name);
}

bool has_variable_like(const char* beginning) {
  const std::size_t length = std::strlen(beginning);
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (std::strncmp(*variable, beginning, length) == 0) return true;
  return false;
}

ScopedVariable::ScopedVariable(const char* assignment) {
  // Pairs with the release in the destructor: the array is no longer the one before's.
  if (environ == nullptr || g_taken.exchange(true, std::memory_order_acquire)) return;
  ours_ = with_variable(assignment, environ);
  if (ours_ == nullptr) {
    g_taken.store(false, std::memory_order_release);
    return;
  }
  saved_ = environ;
  environ = ours_;
}

ScopedVariable::~ScopedVariable() {
  if (saved_ == nullptr) return;
  // Someone who set a variable meanwhile made an array of their own; theirs stays.
  if (environ == ours_) environ = saved_;
  // Pairs with the acquire in the constructor.
  g_taken.store(false, std::memory_order_release);
}

}  // namespace xylem::os
