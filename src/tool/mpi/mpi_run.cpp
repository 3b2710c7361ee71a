// Choosing between recording and placing, and the launcher's words; see mpi_run.hpp.
#include "tool/mpi/mpi_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>

#include "os/kept_file.hpp"
#include "tool/command/common.hpp"
#include "tool/command/installation.hpp"
#include "tool/command/program.hpp"
#include "tool/command/start.hpp"
#include "tool/mpi/communication.hpp"
#include "tool/mpi/launchers.hpp"
#include "tool/mpi/mpi_map.hpp"
#include "tool/mpi/mpi_record.hpp"
#include "topo/machine.hpp"

namespace xylem::tool::mpi {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

std::string recording_of(const RunOptions& options, const std::vector<std::string>& program) {
  if (!options.recording.empty()) return options.recording;
  return fs::path(program[0]).filename().string() + ".xylem-mpi.json";
}

// Ranks of the recording; 0 if there is none.
int recorded_ranks(const std::string& file) {
  return fs::exists(file) ? read_communication(file).ranks : 0;
}

int record_first(const RunOptions& options, const std::string& file, int ranks,
                 std::vector<std::string> launcher, const std::vector<std::string>& program) {
  if (ranks == 0) {
    say("'{}' is not there yet: this run is recorded, the next one is placed", file);
  } else {
    say("'{}' is of {}: this run is recorded anew, the next one is placed", file,
        counted(ranks, "rank"));
  }
  launcher.insert(launcher.end(), {"-n", std::to_string(options.ranks)});
  launcher.insert(launcher.end(), program.begin(), program.end());
  return record_ranks({file, options.compiler}, launcher);
}

// Each rank on Xylem, which takes the processors that the launcher leaves it; a program that
// `xylem run` cannot serve as it is.
std::vector<std::string> on_xylem(const std::vector<std::string>& program,
                                  const Environment& environment) {
  const Program found = find_program(program[0], environment);
  if (found.code != 0) throw InputError(found.why);
  const std::string folder = library_folder();
  const Inspection inspection = inspect_program(found, environment, folder + "/libxylem.so");
  if (folder.empty() || !inspection.can_start || !inspection.set_up) return program;
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "run", "--quiet",
                                    "--"};
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

int cores_a_rank(int ranks) {
  const base::Result<topo::Machine*> loaded = topo::load_machine("", true);
  if (!loaded.ok()) throw InputError(loaded.error().message);
  const std::unique_ptr<topo::Machine> machine(loaded.value());
  return Cluster(*machine, 1, 1).size() / ranks;
}

// The launcher's file, by its contents, so that many runs leave few files.
std::string kept_file(const std::string& text) {
  std::string file =
      fmt::format("{}/mpi-ranks-{:016x}", mpi_cache_folder(), std::hash<std::string>()(text));
  if (os::write_kept_file(file.c_str(), text) != 0)
    throw InputError(fmt::format("'{}' cannot be written", file));
  return file;
}

int place_and_become(const RunOptions& options, const std::string& recording,
                     const Program& launcher, const std::vector<std::string>& launcher_line,
                     const std::vector<std::string>& program) {
  const std::string kind = launcher_kind(launcher.path);
  if (kind.empty()) {
    throw InputError(
        fmt::format("'{}' is no launcher that is known here: write its file by "
                    "`xylem mpi map --launcher NAME {}`",
                    launcher.path, recording));
  }
  const Environment environment = current_environment();
  MapOptions map;
  map.cores = cores_a_rank(options.ranks);
  const Placement placed = place_ranks(map, recording);
  const Launch launch = find_launcher(kind)->write(placed.cluster, placed.mapping, {"localhost"});
  const std::string file = kept_file(launch.file);
  return start_program(
      launcher, launcher_words(launcher_line, launch.command, file, on_xylem(program, environment)),
      environment);
}

int record_or_place(const RunOptions& options, const std::vector<std::string>& program) {
  const std::vector<std::string> line =
      split(options.launcher.empty() ? "mpirun" : options.launcher);
  if (line.empty()) throw InputError("--mpirun names no launcher");
  const Program launcher = find_program(line[0], current_environment());
  if (launcher.code != 0) return complain(launcher.code, "{}", launcher.why);
  const std::string recording = recording_of(options, program);
  const int ranks = recorded_ranks(recording);
  if (ranks != options.ranks) return record_first(options, recording, ranks, line, program);
  return place_and_become(options, recording, launcher, line, program);
}

}  // namespace

std::string launcher_kind(const std::string& launcher_path) {
  for (const std::string& link : link_chain(launcher_path)) {
    const std::string name = fs::path(link).filename().string();
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("openmpi") || has("orterun")) return "openmpi4";
    if (has("prte")) return "openmpi5";
    if (has("hydra") || has("mpich")) return "hydra";
  }
  return "";
}

std::vector<std::string> launcher_words(const std::vector<std::string>& launcher,
                                        const std::string& command, const std::string& file,
                                        const std::vector<std::string>& program) {
  std::vector<std::string> words = launcher;
  const std::vector<std::string> given = split(command);
  for (std::size_t i = 1; i + 1 < given.size(); ++i) {  // without the launcher and ./app
    std::string word = given[i];
    if (const std::size_t at = word.find("FILE"); at != std::string::npos)
      word.replace(at, 4, file);
    words.push_back(word);
  }
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

int run_ranks(const RunOptions& options, const std::vector<std::string>& program) {
  try {
    return record_or_place(options, program);
  } catch (const InputError& error) {
    return complain(kBadUse, "{}", error.what());
  }
}

}  // namespace xylem::tool::mpi
