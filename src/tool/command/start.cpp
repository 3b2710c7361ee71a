// Becoming a program: see start.hpp.
#include "tool/command/start.hpp"

#include <cerrno>
#include <cstring>

#include "os/launch.hpp"

namespace xylem::tool {

int start_program(const Program& program, const std::vector<std::string>& words,
                  const Environment& environment) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> texts;
  texts.reserve(environment.size());
  for (const auto& [name, value] : environment) texts.push_back(fmt::format("{}={}", name, value));
  std::vector<char*> variables;
  variables.reserve(texts.size() + 1);
  for (std::string& text : texts) variables.push_back(text.data());
  variables.push_back(nullptr);
  int error = os::replace_process(program.path.c_str(), argv.data(), variables.data());
  if (error == -ENOEXEC && !program.is_elf) {
    error = os::replace_by_shell(program.path.c_str(), argv.data(), variables.data());
  }
  return complain(kCannotExecute, "'{}' cannot be executed: {}", program.name, strerror(-error));
}

}  // namespace xylem::tool
