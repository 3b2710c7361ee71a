// Becoming a program: see start.hpp.
#include "tool/command/start.hpp"

#include <cerrno>
#include <cstring>

#include "os/launch.hpp"

namespace xylem::tool {

StartWords::StartWords(const std::vector<std::string>& words, const Environment& environment)
    : texts_(words) {
  for (const auto& [name, value] : environment) texts_.push_back(fmt::format("{}={}", name, value));
  for (std::string& text : texts_)
    (argv_.size() < words.size() ? argv_ : variables_).push_back(text.data());
  argv_.push_back(nullptr);
  variables_.push_back(nullptr);
}

int start_program(const Program& program, const std::vector<std::string>& words,
                  const Environment& environment) {
  const StartWords all(words, environment);
  int error = os::replace_process(program.path.c_str(), all.argv(), all.variables());
  if (error == -ENOEXEC && !program.is_elf) {
    error = os::replace_by_shell(program.path.c_str(), all.argv(), all.variables());
  }
  return complain(kCannotExecute, "'{}' cannot be executed: {}", program.name, strerror(-error));
}

}  // namespace xylem::tool
