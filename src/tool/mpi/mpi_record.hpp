// `xylem mpi record`: what the ranks of a running MPI program say to each other.
#pragma once

#include <string>
#include <vector>

namespace xylem::tool::mpi {

struct RecordOptions {
  std::string output;    // "": xylem-mpi.json
  std::string compiler;  // the MPI's C compiler; "": the one that belongs to the launcher
};

// Builds the recorder with the MPI's compiler, unless the user's cache has it, and becomes the
// launcher with the recorder preloaded: results, signals and exit code are the launcher's. Returns
// only where that failed, the exit code, after a line that says why.
int record_ranks(const RecordOptions& options, const std::vector<std::string>& words);

// Where this command keeps what it makes for MPI programs: the user's cache. Throws InputError.
std::string mpi_cache_folder();

// The path and what its symbolic links lead to, one by one; 16 at most.
std::vector<std::string> link_chain(const std::string& path);

// The C compiler of the MPI that a launcher belongs to: mpicc.openmpi beside mpirun.openmpi, mpicc
// beside mpirun; links are followed one by one. "" if there is none.
std::string compiler_of(const std::string& launcher_path);

}  // namespace xylem::tool::mpi
