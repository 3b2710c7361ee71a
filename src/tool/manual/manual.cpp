// The manual pages: see manual.hpp.
#include "tool/manual/manual.hpp"

#include <fmt/core.h>

#include "omp/env/settings.hpp"
#include "tool/command/help.hpp"
#include "tool/command/usage.hpp"

namespace xylem::tool {

namespace {

// Text as it stands: no character of it is a command of roff's.
std::string plain(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) out += "\\&";
    line_begins = letter == '\n';
    switch (letter) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

// `name` is the page's: "xylem-run". No word is broken at a line's end (.nh).
std::string page_head(std::string_view name, int section, std::string_view says) {
  std::string title(name);
  for (char& letter : title) letter = static_cast<char>(std::toupper(letter));
  return fmt::format(".TH {} {} \"\" \"{}\" \"Xylem\"\n.nh\n.SH NAME\n{} \\- {}\n", plain(title),
                     section, plain(version_text()), plain(name), plain(says));
}

std::string synopsis(const CLI::App& command) {
  return fmt::format(".SH SYNOPSIS\n{}\n", bold(usage_of(command)));
}

std::string option_names(const CLI::Option& option) {
  std::string names;
  for (const std::string& letter : option.get_snames()) names += bold("-" + letter) + ", ";
  for (const std::string& word : option.get_lnames()) names += bold("--" + word) + ", ";
  names.resize(names.size() - 2);
  if (option.get_items_expected_max() > 0) names += " " + italic(option.get_type_name());
  return names;
}

std::string options_section(const CLI::App& command) {
  std::string out = ".SH OPTIONS\n";
  for (const CLI::Option* option : shown_options(command))
    out += fmt::format(".TP\n{}\n{}.\n", option_names(*option), plain(option->get_description()));
  return out;
}

std::string as_it_stands(std::string_view lines) {
  return fmt::format(".nf\n{}\n.fi\n", plain(lines));
}

// One part of a footer: examples, exit codes, or something else to know.
std::string footer_part(std::string_view part) {
  constexpr std::string_view kExamples = "Examples:\n";
  constexpr std::string_view kExitCode = "Exit code: ";
  if (part.starts_with(kExamples))
    return ".SH EXAMPLES\n" + as_it_stands(part.substr(kExamples.size()));
  if (part.starts_with(kExitCode)) return fmt::format(".SH EXIT STATUS\n{}\n", plain(part));
  return fmt::format(".SH NOTES\n{}\n", plain(part));
}

std::string footer_sections(const CLI::App& command) {
  const std::string footer = command.get_footer();
  std::string_view rest = footer;
  std::string out;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find("\n\n"));
    rest.remove_prefix(std::min(rest.size(), part.size() + 2));
    out += footer_part(part);
  }
  return out;
}

std::string page_reference(std::string_view name, int section) {
  return fmt::format("{}({})", bold(name), section);
}

std::string page_name(const CLI::App& command) { return "xylem-" + command.get_name(); }

std::string commands_section(const CommandLine& line) {
  std::string out = ".SH COMMANDS\n";
  for (const Command& command : line.commands)
    out += fmt::format(".TP\n{}\n{}.\n", page_reference(page_name(*command.app), 1),
                       plain(command.app->get_description()));
  return out;
}

std::string see_also(std::string_view name, int section) {
  return fmt::format(".SH SEE ALSO\n{}, {}\n", page_reference(name, section),
                     page_reference("xylem-settings", 7));
}

}  // namespace

std::string command_page(const CommandLine& line) {
  const std::string says = line.app.get_description();
  return page_head("xylem", 1, says.substr(says.find(": ") + 2)) + synopsis(line.app) +
         commands_section(line) + options_section(line.app) + footer_sections(line.app) +
         see_also("xylem-run", 1);
}

std::string subcommand_page(const CLI::App& command) {
  return page_head(page_name(command), 1, command.get_description()) + synopsis(command) +
         options_section(command) + footer_sections(command) + see_also("xylem", 1);
}

std::string settings_page() {
  std::string out = page_head("xylem-settings", 7, "the environment variables of Xylem") +
                    fmt::format(".SH DESCRIPTION\n{}\n", plain(kAboutSettings));
  for (const omp::Setting& setting : omp::settings_table()) {
    if (setting.hidden) continue;
    out += fmt::format(".TP\n{}  {}\n{}\n", bold(setting.name), plain(setting_kind(setting)),
                       plain(setting.help));
  }
  return out + fmt::format(".SH SEE ALSO\n{}, {}\n", page_reference("xylem", 1),
                           page_reference("xylem-run", 1));
}

}  // namespace xylem::tool
