// The completion of the command's words by shells, made from the command line itself.
//
// Completed are subcommands, options, the policies, and behind `xylem run` and the like a program
// and what completes its own words. Where a file may stand the shell completes files.
#pragma once

#include <string>

#include "tool/command/command_line.hpp"

namespace xylem::tool {

std::string bash_completion(const CommandLine& line);
std::string zsh_completion(const CommandLine& line);

// --- what both shells are told of the command line -----------------------------------------------

// The words an option's value is one of, with blanks between; "": any.
std::string value_words(const CLI::Option& option);

bool takes_value(const CLI::Option& option);
bool takes_file(const CLI::Option& option);

// "-q" and "--quiet".
std::vector<std::string> spellings(const CLI::Option& option);

// Whether a program and its arguments follow the subcommand's options.
bool takes_program(const CLI::App& command);

// The words that may follow the subcommand; "": none is known.
std::string argument_words(const CLI::App& command, const CommandLine& line);

// "run topo doctor".
std::string subcommand_names(const CommandLine& line);

}  // namespace xylem::tool
