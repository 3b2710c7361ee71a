// The manual pages, in the language of man(7).
//
// Made from what `xylem help` prints: the command line, with the footers of its subcommands (their
// examples and exit codes, in each one's own file), and the table of settings. No text stands here
// that says what an option or a setting does.
#pragma once

#include <string>

#include "tool/command/command_line.hpp"

namespace xylem::tool {

// xylem(1).
std::string command_page(const CommandLine& line);

// xylem-run(1) and the like.
std::string subcommand_page(const CLI::App& command);

// xylem-settings(7).
std::string settings_page();

}  // namespace xylem::tool
