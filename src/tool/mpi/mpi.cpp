// `xylem mpi`: ranks of MPI programs on the machine (paper 004, section IV-B).
#include "tool/command/common.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/mpi/mpi_map.hpp"

namespace xylem::tool {

namespace {

constexpr const char* kExamples = R"(Examples:
  xylem mpi map matrix.txt                       place the ranks on this machine
  xylem mpi map --machine node.xml --nodes 8 matrix.txt
  xylem mpi map --nodes 2 --hosts a,b --launcher openmpi4 --output ranks.txt matrix.txt
  xylem mpi map --svg before-after.svg matrix.txt

MATRIX has a row of numbers for each rank: the bytes that it sends to rank 0, 1, ...
A # begins a comment. A rank gets a core, or a PU where ranks outnumber cores.
Hop-bytes: bytes times the levels of the machine that they climb. The largest link is what
most bytes cross. Launchers: openmpi4, openmpi5, hydra, slurm, cray.)";

int serve(const mpi::MapOptions& options, const std::vector<std::string>& words) {
  if (words.empty()) return complain(kBadUse, "mpi needs `map`; see `xylem mpi --help`");
  if (words[0] != "map") {
    return complain(kBadUse, "mpi has no '{}', only `map`; see `xylem mpi --help`", words[0]);
  }
  if (words.size() != 2) {
    return complain(kBadUse, "mpi map takes one MATRIX; see `xylem mpi --help`");
  }
  if (options.machines < 1)
    return complain(kBadUse, "--nodes {} is no number of machines", options.machines);
  if (options.launcher.empty() && !options.output.empty()) {
    return complain(kBadUse, "--output is the launcher's file: give --launcher too");
  }
  return mpi::map_ranks(options, words[1]);
}

}  // namespace

Command make_mpi(CLI::App& parent) {
  auto options = std::make_shared<mpi::MapOptions>();
  CLI::App* app = parent.add_subcommand("mpi", "Place the ranks of an MPI program");
  app->add_option("--machine", options->machine,
                  "A machine that ranks run on: an hwloc synthetic description or XML file")
      ->type_name("DESC");
  app->add_option("--nodes", options->machines, "How many machines of that kind")->type_name("N");
  app->add_option("--hosts", options->hosts, "Their names, with commas between")
      ->type_name("NAMES");
  app->add_option("--launcher", options->launcher, "Write the placement for this launcher")
      ->type_name("NAME");
  app->add_option("--output", options->output, "Where the launcher's file goes (stdout)")
      ->type_name("FILE");
  app->add_option("--svg", options->svg, "Draw who talks to whom, before and after")
      ->type_name("FILE");
  app->allow_extras();
  set_usage(*app, "xylem mpi map [options] MATRIX");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) { return serve(*options, words); }};
}

}  // namespace xylem::tool
