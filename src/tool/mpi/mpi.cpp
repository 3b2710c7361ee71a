// `xylem mpi`: ranks of MPI programs on the machine (paper 004, section IV-B).
#include "tool/command/common.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"
#include "tool/mpi/mpi_map.hpp"
#include "tool/mpi/mpi_record.hpp"
#include "tool/mpi/mpi_run.hpp"

namespace xylem::tool {

namespace {

constexpr const char* kExamples = R"(Examples:
  xylem mpi run -n 8 -- ./app                    the first run is recorded, later ones placed
  xylem mpi record -- mpirun -n 64 ./app         who sends how much to whom: xylem-mpi.json
  xylem mpi map xylem-mpi.json                   place the ranks on this machine
  xylem mpi map --machine node.xml --nodes 8 xylem-mpi.json
  xylem mpi map --nodes 2 --hosts a,b --launcher openmpi4 --output ranks.txt xylem-mpi.json
  xylem mpi map --svg before-after.svg matrix.txt

MATRIX is a recording, or has a row of numbers for each rank: the bytes that it sends to
rank 0, 1, ... (a # begins a comment). A rank gets a core, or a PU where ranks outnumber cores.
Hop-bytes: bytes times the levels of the machine that they climb. The largest link is what
most bytes cross. Launchers: openmpi4, openmpi5, hydra, slurm, cray.)";

struct MpiOptions {
  mpi::MapOptions map;
  mpi::RecordOptions record;
  mpi::RunOptions run;
  std::string output;
};

int map(MpiOptions options, const std::vector<std::string>& words) {
  if (words.size() != 2) {
    return complain(kBadUse, "mpi map takes one MATRIX; see `xylem mpi --help`");
  }
  if (options.map.machines < 1) {
    return complain(kBadUse, "--nodes {} is no number of machines", options.map.machines);
  }
  if (options.map.cores < 0) {
    return complain(kBadUse, "--cores {} is no number of cores", options.map.cores);
  }
  if (options.map.launcher.empty() && !options.output.empty()) {
    return complain(kBadUse, "--output is the launcher's file: give --launcher too");
  }
  options.map.output = options.output;
  return mpi::map_ranks(options.map, words[1]);
}

int record(MpiOptions options, const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return complain(kBadUse,
                    "mpi record takes a launcher and its arguments behind --; see "
                    "`xylem mpi --help`");
  }
  options.record.output = options.output;
  return mpi::record_ranks(options.record, {words.begin() + 1, words.end()});
}

int run(MpiOptions options, const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return complain(kBadUse, "mpi run takes a program behind --; see `xylem mpi --help`");
  }
  if (options.run.ranks < 1) return complain(kBadUse, "mpi run needs -n, the number of ranks");
  options.run.compiler = options.record.compiler;
  return mpi::run_ranks(options.run, {words.begin() + 1, words.end()});
}

int serve(const MpiOptions& options, const std::vector<std::string>& words) {
  if (words.empty()) {
    return complain(kBadUse, "mpi needs `record`, `map` or `run`; see `xylem mpi --help`");
  }
  if (words[0] == "map") return map(options, words);
  if (words[0] == "record") return record(options, words);
  if (words[0] == "run") return run(options, words);
  return complain(kBadUse, "mpi has no '{}', but `record`, `map` and `run`; see `xylem mpi --help`",
                  words[0]);
}

}  // namespace

Command make_mpi(CLI::App& parent) {
  auto options = std::make_shared<MpiOptions>();
  CLI::App* app =
      parent.add_subcommand("mpi", "Record what MPI ranks exchange, and place them by it");
  app->add_option("--machine", options->map.machine,
                  "A machine that ranks run on: an hwloc synthetic description or XML file")
      ->type_name("DESC");
  app->add_option("--nodes", options->map.machines, "How many machines of that kind")
      ->type_name("N");
  app->add_option("--hosts", options->map.hosts, "Their names, with commas between")
      ->type_name("NAMES");
  app->add_option("--launcher", options->map.launcher, "Write the placement for this launcher")
      ->type_name("NAME");
  app->add_option(
         "--output", options->output,
         "map: where the launcher's file goes (stdout); record: the recording (xylem-mpi.json)")
      ->type_name("FILE");
  app->add_option("--svg", options->map.svg, "Draw who talks to whom, before and after")
      ->type_name("FILE");
  app->add_option("--mpicc", options->record.compiler,
                  "record: the MPI's C compiler (the one beside the launcher)")
      ->type_name("COMMAND");
  app->add_option("--cores", options->map.cores,
                  "map: cores that a rank gets (one; a PU where ranks outnumber cores)")
      ->type_name("N");
  app->add_option("-n", options->run.ranks, "run: number of ranks")->type_name("N");
  app->add_option("--mpirun", options->run.launcher,
                  "run: the launcher with its first arguments, in one word (mpirun)")
      ->type_name("COMMAND");
  app->add_option("--recording", options->run.recording,
                  "run: what an earlier run recorded (APP.xylem-mpi.json)")
      ->type_name("FILE");
  app->allow_extras();
  set_usage(*app,
            "xylem mpi map [options] MATRIX, xylem mpi record [options] -- LAUNCHER ..., "
            "xylem mpi run -n N [options] -- APP ...");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) { return serve(*options, words); }};
}

}  // namespace xylem::tool
