// The first lines of a subcommand's --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace xylem::tool {

// Makes --help of `app` say "Usage: TEXT" instead of what CLI11 guesses.
void set_usage(CLI::App& app, const std::string& text);

// The subcommand of that name, or nullptr.
const CLI::App* find_subcommand(const CLI::App& app, const std::string& name);

}  // namespace xylem::tool
