// Becoming a program.
#pragma once

#include <string>
#include <vector>

#include "tool/command/common.hpp"
#include "tool/command/program.hpp"

namespace xylem::tool {

// A command line and an environment in the form that the kernel takes.
class StartWords {
 public:
  StartWords(const std::vector<std::string>& words, const Environment& environment);
  StartWords(const StartWords&) = delete;
  StartWords& operator=(const StartWords&) = delete;

  // Both end with a null pointer; valid while this object is.
  char* const* argv() const { return argv_.data(); }
  char* const* variables() const { return variables_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> argv_;
  std::vector<char*> variables_;
};

// Replaces this process by the program; words[0] is its own name. Returns only where that failed:
// the exit code, after saying why.
int start_program(const Program& program, const std::vector<std::string>& words,
                  const Environment& environment);

}  // namespace xylem::tool
