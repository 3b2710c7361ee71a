// `xylem bench`: Xylem beside the other OpenMP runtimes of this machine, or beside the one that a
// program came with (bench_program.hpp).
//
// Owns the way to the harness (bench/run, a Python program): it finds it, becomes it, and hands
// over the command line as it stands. The options are the harness's.
#include <fmt/core.h>

#include "tool/bench/bench_program.hpp"
#include "tool/command/common.hpp"
#include "tool/command/installation.hpp"
#include "tool/command/program.hpp"
#include "tool/command/start.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"

namespace xylem::tool {

namespace {

constexpr const char* kExamples = R"(Examples:
  xylem bench -- ./app input.dat   your program on Xylem beside the runtime that it came with
  xylem bench --rounds 9 --threads 8 --limit 60 -- ./app
  xylem bench                      Xylem's own lines, all of them; about an hour
  xylem bench --group programs     whole programs alone
  xylem bench --group regions --case region --threads 2 --rounds 3
  xylem bench --peers FOLDER       with the libomp.so.5 and libiomp5.so in FOLDER
  xylem bench --help               all options

A program: rounds (5) on either side in turn; one that does not end within the limit (300 s) is
stopped. Exit code: 0 compared, 1 a run did not end or exit codes differ, 2 bad use or nothing to
compare, 126 it cannot be executed, 127 it does not exist.
Xylem's own lines need python3. Exit code: 0 everything ran, 1 something did not, 2 bad use.)";

int become_harness(const std::vector<std::string>& words) {
  const std::string folder = bench_folder();
  const std::string library = library_folder();
  if (folder.empty() || library.empty()) {
    return complain(
        kBadUse, "bench: {} not beside this command; build or install it with GCC",
        folder.empty() ? "its programs (libexec/xylem/bench) are" : "libxylem.so (lib/xylem) is");
  }
  Environment environment = current_environment();
  const Program python = find_program("python3", environment);
  if (python.code != 0) {
    return complain(python.code, "bench needs python3: install it (apt-get install python3)");
  }
  environment["PYTHONDONTWRITEBYTECODE"] = "1";  // where it is installed, users may not write
  std::vector<std::string> all = {"python3", folder + "/run", "--programs",
                                  folder,    "--library",     library};
  all.insert(all.end(), words.begin(), words.end());
  return start_program(python, all, environment);
}

int compare(const std::vector<std::string>& words) {
  return names_a_program(words) ? bench_program(words) : become_harness(words);
}

}  // namespace

Command make_bench(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("bench", "Time Xylem beside other OpenMP runtimes");
  app->prefix_command();
  set_usage(*app, "xylem bench [options] [-- program [arguments]]");
  app->footer(kExamples);
  return {app, compare};
}

}  // namespace xylem::tool
