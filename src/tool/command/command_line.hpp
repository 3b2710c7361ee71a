// The whole command line: `xylem` and its subcommands.
//
// Owns: CommandLine. What describes the command from outside (its help, the manual pages, the
// completion of shells) is made from it.
#pragma once

#include <string>
#include <vector>

#include "tool/command/subcommands.hpp"

namespace xylem::tool {

struct CommandLine {
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app;
  std::vector<Command> commands;  // in the order in which the help lists them
};

// "xylem 0.1.0".
std::string version_text();

}  // namespace xylem::tool
