// `xylem mpi run`: an MPI program with its ranks placed by what they said in an earlier run.
#pragma once

#include <string>
#include <vector>

namespace xylem::tool::mpi {

struct RunOptions {
  int ranks = 0;
  std::string launcher;   // and its first arguments, with blanks between; "": mpirun
  std::string recording;  // "": the program's name with .xylem-mpi.json, here
  std::string compiler;   // as RecordOptions::compiler
};

// Becomes the launcher. Without a recording of so many ranks this run is recorded and not placed:
// nothing runs twice. Else ranks are placed on this machine, each on as many cores as there are for
// it, and each is started by `xylem run` where that can serve the program. Returns only where it
// failed, the exit code, after a line that says why.
int run_ranks(const RunOptions& options, const std::vector<std::string>& program);

// "openmpi4", "openmpi5" or "hydra", by the names that lead to the launcher; "" if by none.
std::string launcher_kind(const std::string& launcher_path);

// The launcher's words for a placement: `command` as Launch has it, FILE and ./app replaced.
std::vector<std::string> launcher_words(const std::vector<std::string>& launcher,
                                        const std::string& command, const std::string& file,
                                        const std::vector<std::string>& program);

}  // namespace xylem::tool::mpi
