// The ranks of MPI jobs on this machine, as their launchers' variables and the kernel tell them.
//
// Owns: what a launcher's variables mean, and finding the ranks among the user's processes.
// Invariant: of a process that cannot be read nothing is said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/cpus.hpp"
#include "tool/command/common.hpp"

namespace xylem::tool {

enum class Launcher : std::uint8_t { open_mpi4, open_mpi5, mpich, slurm, prrte };
const char* launcher_name(Launcher launcher);

// What a rank's environment says of it.
struct RankVariables {
  Launcher launcher = Launcher::open_mpi4;
  int number = 0;       // on this machine; PRRTE says only which of all it is
  int local_ranks = 0;  // on this machine; 0: not told
};

// Empty where no launcher has started the process.
std::optional<RankVariables> read_rank_variables(const Environment& environment);

struct Rank {
  int process = 0;
  int number = 0;  // as in RankVariables
  os::CpuSet cpus;
  // It has so many: OMP_NUM_THREADS, else where it has an OpenMP runtime one for each processor of
  // its mask, else 1.
  int threads = 1;
};

struct Job {
  Launcher launcher = Launcher::open_mpi4;
  int parent = 0;           // the process that started the ranks
  int local_ranks = 0;      // told, or seen where that is more
  std::vector<Rank> ranks;  // those seen, by their numbers
};

// The jobs of which this user has ranks running, below `root` ("" is this machine).
std::vector<Job> read_jobs(const std::string& root);

// Adds the command's own process, where a launcher has started it: it has what `self` says.
// Others that the same launcher starts at once may begin later: waits for them, a second at most.
std::vector<Job> read_jobs_with(const std::string& root, const Environment& environment, Rank self);

}  // namespace xylem::tool
