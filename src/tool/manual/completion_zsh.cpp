// Completion by zsh.
#include <fmt/core.h>

#include "tool/command/usage.hpp"
#include "tool/manual/completion.hpp"

namespace xylem::tool {

namespace {

// Text inside quotes of the shell and brackets of _arguments.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') {
      out += "'\\''";
      continue;
    }
    if (letter == '[' || letter == ']' || letter == ':') out += '\\';
    out += letter;
  }
  return out;
}

std::string action(const CLI::Option& option) {
  const std::string words = value_words(option);
  if (!words.empty()) return "(" + words + ")";
  return takes_file(option) ? "_files" : " ";
}

// One line of _arguments for each spelling; a value may stand behind `=` or as the next word.
std::string option_lines(const CLI::Option& option) {
  std::string out;
  for (const std::string& spelling : spellings(option)) {
    const bool valued = takes_value(option);
    const std::string value =
        valued ? fmt::format(":{}:{}", option.get_type_name(), action(option)) : "";
    const bool joined = valued && spelling.starts_with("--");
    out += fmt::format("        '{}{}[{}]{}' \\\n", spelling, joined ? "=" : "",
                       in_quotes(option.get_description()), value);
  }
  return out;
}

std::string arguments_line(const CLI::App& command, const CommandLine& line) {
  const std::string words = argument_words(command, line);
  if (!words.empty()) return fmt::format("        '*:what:({})'\n", words);
  if (takes_program(command))
    return "        '(-)1:program:_command_names -e' \\\n        '*::argument:_normal'\n";
  return "        '*:file:_files'\n";
}

std::string case_of(const CLI::App& command, const CommandLine& line) {
  std::string out = fmt::format("    {})\n      _arguments -S -A '-*' \\\n", command.get_name());
  for (const CLI::Option* option : shown_options(command)) out += option_lines(*option);
  return out + arguments_line(command, line) + "      ;;\n";
}

}  // namespace

std::string zsh_completion(const CommandLine& line) {
  std::string out = R"(#compdef xylem
# Completion of xylem(1) by zsh.
_xylem() {
  local curcontext=$curcontext state state_descr line
  local -a commands
  local -A opt_args
  commands=(
)";
  for (const Command& command : line.commands)
    out += fmt::format("    '{}:{}'\n", command.app->get_name(),
                       in_quotes(command.app->get_description()));
  out += "  )\n  _arguments -C -A '-*' \\\n";
  for (const CLI::Option* option : shown_options(line.app)) out += option_lines(*option);
  out += R"(        '1:command:->command' '*::argument:->argument' && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
)";
  for (const Command& command : line.commands) out += case_of(*command.app, line);
  return out + "  esac\n}\n\n_xylem \"$@\"\n";
}

}  // namespace xylem::tool
