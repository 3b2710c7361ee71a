// `xylem help`: the settings table, and the help of other commands.
#include "tool/command/help.hpp"

#include <fmt/core.h>

#include <memory>

#include "tool/command/common.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"

namespace xylem::tool {

namespace {

constexpr std::size_t kTextWidth = 78;

// Breaks `text` between words into lines of `kTextWidth`, each after `indent`.
std::string wrapped(std::string_view text, std::string_view indent) {
  std::string out;
  std::string line;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kTextWidth) {
      out += fmt::format("{}{}\n", indent, line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return out + fmt::format("{}{}\n", indent, line);
}

int print_settings() {
  fmt::print("{}\n", kAboutSettings);
  for (const omp::Setting& setting : omp::settings_table()) {
    if (setting.hidden) continue;
    fmt::print("\n{}  {}\n{}", setting.name, setting_kind(setting), wrapped(setting.help, "    "));
  }
  return kSuccess;
}

int print_help(CLI::App& parent, const std::vector<std::string>& words) {
  if (words.empty()) {
    // Not parent.help(), which is that of the subcommand that was typed.
    fmt::print("{}", parent.get_formatter()->make_help(&parent, parent.get_name(),
                                                       CLI::AppFormatMode::Normal));
    return kSuccess;
  }
  if (words[0] == "settings") return print_settings();
  const CLI::App* command = find_subcommand(parent, words[0]);
  if (command == nullptr) {
    return complain(kBadUse, "there is no help on '{}'; try `xylem help settings` or a command",
                    words[0]);
  }
  fmt::print("{}", command->help());
  return kSuccess;
}

}  // namespace

std::string setting_kind(const omp::Setting& setting) {
  const std::string_view standard = setting.default_text;
  return fmt::format("({}{})", omp::type_name(setting.type),
                     standard.empty() ? "" : fmt::format(", default {}", standard));
}

Command make_help(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("help", "Explain a command, or the settings");
  set_usage(*app, "xylem help [settings | COMMAND]");
  app->footer("Examples:\n  xylem help settings\n  xylem help run");
  return {app,
          [&parent](const std::vector<std::string>& words) { return print_help(parent, words); }};
}

}  // namespace xylem::tool
