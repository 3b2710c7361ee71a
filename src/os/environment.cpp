// Adding a variable to the process's environment for a moment: see environment.hpp.
#include "os/environment.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace xylem::os {

namespace {

constexpr std::size_t kMostVariables = 4096;
constinit std::array<char*, kMostVariables> g_variables{};
// Written by whoever makes or ends a ScopedVariable; true while g_variables is one's own.
constinit std::atomic<bool> g_taken{false};

bool same_name(const char* variable, const char* assignment) {
  const std::size_t length = std::strcspn(assignment, "=") + 1;
  return std::strncmp(variable, assignment, length) == 0;
}

// Copies `from` behind `assignment`; false if the name is there already or they are too many.
bool fill_variables(const char* assignment, char** from) {
  std::size_t count = 0;
  for (; from[count] != nullptr; ++count) {
    if (count + 2 >= kMostVariables || same_name(from[count], assignment)) return false;
    g_variables[count + 1] = from[count];
  }
  g_variables[0] = const_cast<char*>(assignment);
  g_variables[count + 1] = nullptr;
  return true;
}

}  // namespace

ScopedVariable::ScopedVariable(const char* assignment) {
  // Pairs with the release in the destructor: the array is no longer the one before's.
  if (environ == nullptr || g_taken.exchange(true, std::memory_order_acquire)) return;
  if (!fill_variables(assignment, environ)) {
    g_taken.store(false, std::memory_order_release);
    return;
  }
  saved_ = environ;
  environ = g_variables.data();
}

ScopedVariable::~ScopedVariable() {
  if (saved_ == nullptr) return;
  // Someone who set a variable meanwhile made an array of their own; theirs stays.
  if (environ == g_variables.data()) environ = saved_;
  // Pairs with the acquire in the constructor.
  g_taken.store(false, std::memory_order_release);
}

}  // namespace xylem::os
