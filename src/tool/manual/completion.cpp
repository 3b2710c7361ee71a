// What shells are told of the command line: see completion.hpp.
#include "tool/manual/completion.hpp"

#include "policy/policy.hpp"
#include "tool/command/usage.hpp"

namespace xylem::tool {

namespace {

void append_word(std::string& words, std::string_view word) {
  if (!words.empty()) words += ' ';
  words += word;
}

}  // namespace

std::string value_words(const CLI::Option& option) {
  if (!option.check_lname("policy")) return {};
  std::string words;
  for (const policy::Policy* policy : policy::registry()) append_word(words, policy->name);
  append_word(words, "help");
  return words;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool takes_file(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type == "FILE" || type == "DESC";  // a description may be a file's
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& letter : option.get_snames()) all.push_back("-" + letter);
  for (const std::string& word : option.get_lnames()) all.push_back("--" + word);
  return all;
}

bool takes_program(const CLI::App& command) {
  return usage_of(command).find("program") != std::string::npos;
}

std::string argument_words(const CLI::App& command, const CommandLine& line) {
  return command.get_name() == "help" ? "settings " + subcommand_names(line) : std::string();
}

std::string subcommand_names(const CommandLine& line) {
  std::string words;
  for (const Command& command : line.commands) append_word(words, command.app->get_name());
  return words;
}

}  // namespace xylem::tool
