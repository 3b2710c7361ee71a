// Building and preloading the recorder; see mpi_record.hpp. The recorder itself is recorder.c.
#include "tool/mpi/mpi_record.hpp"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "omp/env/settings_folders.hpp"
#include "os/child.hpp"
#include "tool/command/common.hpp"
#include "tool/command/program.hpp"
#include "tool/command/start.hpp"
#include "tool/mpi/communication.hpp"

extern "C" const char xylem_mpi_recorder[];
extern "C" const char xylem_mpi_recorder_end[];

namespace xylem::tool::mpi {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kCompileLimitNs = 120'000'000'000;

std::string_view recorder() {
  return {xylem_mpi_recorder,
          static_cast<std::size_t>(xylem_mpi_recorder_end - xylem_mpi_recorder)};
}

// Another compiler, a newer one, or another recorder makes another name.
std::string library_name(const std::string& compiler) {
  std::error_code error;
  const auto changed = fs::last_write_time(compiler, error).time_since_epoch().count();
  const std::size_t key = std::hash<std::string>()(
      fmt::format("{} {} {}", compiler, changed, std::hash<std::string_view>()(recorder())));
  return fmt::format("mpi-recorder-{:016x}.so", key);
}

// 0, or what went wrong.
std::string compile(const std::string& compiler, const fs::path& source, const fs::path& library,
                    const Environment& environment) {
  const StartWords words(
      {compiler, "-O2", "-shared", "-fPIC", source.string(), "-o", library.string(), "-ldl"},
      environment);
  const os::ChildEnd end =
      os::run_child(compiler.c_str(), words.argv(), words.variables(), kCompileLimitNs);
  if (end.error != 0) return fmt::format("'{}' cannot be started", compiler);
  if (end.stopped) return fmt::format("'{}' did not end", compiler);
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) return "";
  return fmt::format("'{}' cannot build the recorder; `{} -shared -fPIC {}` says why", compiler,
                     compiler, source.string());
}

// The recorder as a library in the cache. Several of us may build it at once: each renames its own.
std::string built_recorder(const std::string& compiler, const Environment& environment) {
  const fs::path folder = mpi_cache_folder();
  const fs::path library = folder / library_name(compiler);
  if (fs::exists(library)) return library.string();
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path source = folder / "mpi-recorder.c";
  std::ofstream(source) << recorder();
  const fs::path made = folder / fmt::format("mpi-recorder-{}.so", getpid());
  const std::string why = compile(compiler, source, made, environment);
  if (!why.empty()) throw InputError(why);
  fs::rename(made, library, error);
  if (error) throw InputError(fmt::format("'{}' cannot be written", library.string()));
  return library.string();
}

// Where the name says which MPI it is: "openmpi" of mpirun.openmpi.
std::string suffix_of(const fs::path& launcher) {
  const std::string extension = launcher.extension().string();
  return extension == ".hydra" ? ".mpich" : extension;
}

std::string chosen_compiler(const RecordOptions& options, const Program& launcher,
                            const Environment& environment) {
  if (options.compiler.empty()) {
    std::string found = compiler_of(launcher.path);
    if (!found.empty()) return found;
    throw InputError(
        fmt::format("no C compiler of an MPI beside '{}': name one by --mpicc", launcher.path));
  }
  const Program compiler = find_program(options.compiler, environment);
  if (compiler.code != 0) throw InputError("--mpicc: " + compiler.why);
  return compiler.path;
}

int become_launcher(const RecordOptions& options, const std::vector<std::string>& words) {
  Environment environment = current_environment();
  const Program launcher = find_program(words[0], environment);
  if (launcher.code != 0) return complain(launcher.code, "{}", launcher.why);
  const std::string library =
      built_recorder(chosen_compiler(options, launcher, environment), environment);
  const std::string before = value_of(environment, "LD_PRELOAD");
  const fs::path output = options.output.empty() ? "xylem-mpi.json" : options.output;
  environment["LD_PRELOAD"] = before.empty() ? library : library + ":" + before;
  environment["XYLEM_MPI_RECORD"] = fs::absolute(output).string();
  return start_program(launcher, words, environment);
}

}  // namespace

std::string mpi_cache_folder() {
  const std::string folder = omp::cache_folder();
  if (!folder.empty()) return folder + "/xylem";
  throw InputError("neither XDG_CACHE_HOME nor HOME is set: there is no place for files of MPI");
}

std::vector<std::string> link_chain(const std::string& path) {
  std::vector<std::string> chain = {path};
  std::error_code error;
  while (chain.size() < 16) {
    const fs::path at = chain.back();
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    chain.push_back((at.parent_path() / next).string());  // an absolute one stands for itself
  }
  return chain;
}

std::string compiler_of(const std::string& launcher_path) {
  for (const fs::path at : link_chain(launcher_path)) {
    const fs::path beside = at.parent_path() / ("mpicc" + suffix_of(at));
    if (!suffix_of(at).empty() && fs::exists(beside)) return beside.string();
  }
  const fs::path plain = fs::path(launcher_path).parent_path() / "mpicc";
  return fs::exists(plain) ? plain.string() : "";
}

int record_ranks(const RecordOptions& options, const std::vector<std::string>& words) {
  try {
    return become_launcher(options, words);
  } catch (const InputError& error) {
    return complain(kBadUse, "{}", error.what());
  }
}

}  // namespace xylem::tool::mpi
