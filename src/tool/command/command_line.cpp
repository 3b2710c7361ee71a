// The whole command line: see command_line.hpp.
#include "tool/command/command_line.hpp"

#include "tool/command/usage.hpp"

namespace xylem::tool {

namespace {

constexpr const char* kFooter = R"(Examples:
  xylem run ./app                  run an OpenMP program, unmodified, on Xylem
  xylem topo                       the machine and what this process may use of it
  xylem doctor -- ./app            what will hurt, and what to do about it
  xylem trace out.xtr              what a program did, traced by xylem run --trace
  xylem top                        watch a running process: queues, turns, steals, bubbles
  xylem bench -- ./app             the program beside the runtime that it came with, timed
  xylem mpi map recording.json     where to put the ranks of an MPI program
  xylem models                     what codelets take, as it was measured
  xylem help settings              every environment variable
  xylem COMMAND --help             more about one command)";

}  // namespace

std::string version_text() { return "xylem " XYLEM_VERSION; }

CommandLine::CommandLine()
    : app("Xylem: an OpenMP runtime for machines whose memory is not uniform", "xylem") {
  app.set_version_flag("--version", version_text());
  app.footer(kFooter);
  set_usage(app, "xylem COMMAND [options]");
  for (const auto make : {make_run, make_topo, make_doctor, make_trace, make_top, make_bench,
                          make_mpi, make_models, make_pages, make_help}) {
    commands.push_back(make(app));
  }
}

}  // namespace xylem::tool
