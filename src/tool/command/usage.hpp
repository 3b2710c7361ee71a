// The first lines of a subcommand's --help, and what of it others show.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace xylem::tool {

// Makes --help of `app` say "Usage: TEXT" instead of what CLI11 guesses.
void set_usage(CLI::App& app, const std::string& text);

// The TEXT of set_usage().
std::string usage_of(const CLI::App& app);

// The options that --help shows.
std::vector<const CLI::Option*> shown_options(const CLI::App& app);

// The subcommand of that name, or nullptr.
const CLI::App* find_subcommand(const CLI::App& app, const std::string& name);

}  // namespace xylem::tool
