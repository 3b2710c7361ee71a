// The `xylem` command: reads the command line and hands over to one subcommand.
//
// Invariant: whatever is wrong with the command line gives one line on stderr and exit code 2.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tool/command/command_line.hpp"
#include "tool/command/common.hpp"
#include "tool/command/usage.hpp"

namespace {

using namespace xylem::tool;

// The command line in parts: ours up to the last option, and what follows from the first word that
// is none (or behind "--"): a program and its arguments, whatever they look like.
struct Line {
  std::vector<std::string> ours;
  std::vector<std::string> words;
  std::string lacks_value;      // the option that stands last and needs one
  std::string unknown_command;  // what stands where a command should
};

bool needs_value(const CLI::App& app, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const CLI::Option* option = app.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

// Takes options and their values from `at` on; returns where they end.
std::size_t take_options(const CLI::App& app, const std::vector<std::string>& all, std::size_t at,
                         Line& line) {
  while (at < all.size() && all[at].size() > 1 && all[at][0] == '-' && all[at] != "--") {
    const bool valued = needs_value(app, all[at]);
    if (valued && at + 1 == all.size()) line.lacks_value = all[at];
    line.ours.push_back(all[at++]);
    if (valued && at < all.size()) line.ours.push_back(all[at++]);
  }
  return at;
}

Line split_line(const CLI::App& app, const std::vector<std::string>& all) {
  Line line;
  std::size_t at = take_options(app, all, 0, line);
  if (at == all.size()) return line;
  const CLI::App* command = find_subcommand(app, all[at]);
  if (command == nullptr) {
    line.unknown_command = all[at];
    return line;
  }
  line.ours.push_back(all[at++]);
  if (command->get_prefix_command()) {  // what follows is all another program's
    line.words.assign(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
    return line;
  }
  at = take_options(*command, all, at, line);
  // A command that starts no program takes options behind its words too.
  while (command->get_allow_extras() && at < all.size() && all[at] != "--") {
    line.words.push_back(all[at++]);
    at = take_options(*command, all, at, line);
  }
  if (at < all.size() && all[at] == "--") ++at;
  line.words.insert(line.words.end(), all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
  return line;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

int parse_and_run(CLI::App& app, const std::vector<Command>& commands, const Line& line) {
  if (!line.lacks_value.empty()) {
    return complain(kBadUse, "{} needs a value; see `xylem --help`", line.lacks_value);
  }
  if (!line.unknown_command.empty()) {
    return complain(kBadUse, "there is no command '{}'; see `xylem --help`", line.unknown_command);
  }
  try {
    std::vector<std::string> reversed(line.ours.rbegin(), line.ours.rend());
    app.parse(reversed);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return complain(kBadUse, "{}; see `xylem --help`", one_line(error.what()));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run(line.words);
  }
  fmt::print(stderr, "{}", app.help());
  return kBadUse;
}

int serve(const std::vector<std::string>& words) {
  CommandLine line;
  try {
    return parse_and_run(line.app, line.commands, split_line(line.app, words));
  } catch (const std::exception& error) {
    return complain(kBadUse, "stopped: {}", one_line(error.what()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return serve({argv + 1, argv + argc});
  } catch (...) {  // also where the line above could not be made
    std::fputs("xylem: stopped and could not say why; look whether memory is short\n", stderr);
    return kBadUse;
  }
}
