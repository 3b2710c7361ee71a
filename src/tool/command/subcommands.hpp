// The subcommands of `xylem`: each adds itself to the command line and says what it was asked.
//
// Owns: Command, the seam between main.cpp and the subcommands. Each subcommand is a folder beside
// this one, and one of its files defines one make_... function.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace xylem::tool {

struct Command {
  CLI::App* app = nullptr;
  // Runs the subcommand and returns the exit code. `words` is what followed its options: a
  // program and its arguments.
  std::function<int(const std::vector<std::string>& words)> run;
};

Command make_run(CLI::App& parent);
Command make_topo(CLI::App& parent);
Command make_doctor(CLI::App& parent);
Command make_trace(CLI::App& parent);
Command make_top(CLI::App& parent);
Command make_bench(CLI::App& parent);
Command make_mpi(CLI::App& parent);
Command make_models(CLI::App& parent);
Command make_pages(CLI::App& parent);
Command make_help(CLI::App& parent);

}  // namespace xylem::tool
