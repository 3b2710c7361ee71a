// Launchers' variables, and ranks among processes: see ranks.hpp.
#include "tool/doctor/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>

#include "os/files.hpp"
#include "os/openmp_names.hpp"
#include "os/processes.hpp"

namespace xylem::tool {

namespace {

long long number_of(const Environment& environment, const char* name, long long otherwise) {
  long long value = 0;
  return os::parse_integer(value_of(environment, name), value) ? value : otherwise;
}

bool has(const Environment& environment, const char* name) { return environment.contains(name); }

bool has_prefix(const Environment& environment, const std::string& prefix) {
  const auto found = environment.lower_bound(prefix);
  return found != environment.end() && found->first.starts_with(prefix);
}

// The node's entry of "4(x2),3": 4 on the first two nodes, 3 on the third. 0 where it is none.
int tasks_on_node(std::string_view list, long long node) {
  while (!list.empty()) {
    std::string_view entry = os::next_part(list, ',');
    long long tasks = 0, nodes = 1;
    if (!os::parse_integer(os::next_part(entry, '('), tasks)) return 0;
    if (!entry.empty() && (!entry.starts_with('x') || !entry.ends_with(')') ||
                           !os::parse_integer(entry.substr(1, entry.size() - 2), nodes)))
      return 0;
    if (node < nodes) return static_cast<int>(tasks);
    node -= nodes;
  }
  return 0;
}

RankVariables as_rank(const Environment& environment, Launcher launcher, const char* number,
                      const char* local_ranks) {
  return {launcher, static_cast<int>(number_of(environment, number, 0)),
          static_cast<int>(number_of(environment, local_ranks, 0))};
}

Launcher open_mpi(const Environment& environment) {
  const bool orte =
      has_prefix(environment, "OMPI_MCA_orte") || has(environment, "OMPI_MCA_ess_base_jobid");
  return orte ? Launcher::open_mpi4 : Launcher::open_mpi5;
}

std::string text_of(const std::string& path) {
  std::vector<char> bytes;
  if (os::read_all(path.c_str(), bytes) != 0) return {};
  return {bytes.data(), bytes.size()};
}

Environment environment_in(std::string_view text) {
  Environment environment;
  while (!text.empty()) {
    const std::string_view variable = os::next_part(text, '\0');
    const std::size_t equals = variable.find('=');
    if (equals != std::string_view::npos)
      environment.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return environment;
}

std::string_view status_line(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = os::next_part(text, '\n');
    if (os::next_part(line, ':') == name) return os::trim(line);
  }
  return {};
}

bool has_openmp(std::string_view maps) {
  while (!maps.empty()) {
    const std::string_view line = os::next_part(maps, '\n');
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string path(line.substr(slash));
    if (os::is_openmp_runtime(path.c_str()) || os::is_library(path.c_str(), "libxylem"))
      return true;
  }
  return false;
}

int threads_of(const Environment& environment, const std::string& folder, int processors) {
  const std::string asked = value_of(environment, "OMP_NUM_THREADS");
  long long threads = 0;
  if (os::parse_integer(asked.substr(0, asked.find(',')), threads) && threads > 0)
    return static_cast<int>(std::min(threads, 1LL << 20));
  return has_openmp(text_of(folder + "/maps")) ? processors : 1;
}

struct RankProcess {
  RankVariables variables;
  int parent = 0;
  Rank rank;
};

std::optional<RankProcess> read_rank(const std::string& folder, int process) {
  const Environment environment = environment_in(text_of(folder + "/environ"));
  const std::optional<RankVariables> variables = read_rank_variables(environment);
  if (!variables) return std::nullopt;
  const std::string status = text_of(folder + "/status");
  RankProcess found{*variables, 0, {process, variables->number, {}, 1}};
  long long parent = 0;
  if (status_line(status, "State").starts_with('Z') ||
      !os::parse_integer(status_line(status, "PPid"), parent) ||
      !os::parse_cpu_list(status_line(status, "Cpus_allowed_list"), found.rank.cpus))
    return std::nullopt;
  found.parent = static_cast<int>(parent);
  found.rank.threads = threads_of(environment, folder, found.rank.cpus.count());
  return found;
}

std::vector<int> processes_below(const std::string& root) {
  std::vector<int> all;
  if (root.empty()) {
    os::list_processes(all);
    std::erase_if(all, [](int process) { return os::owner_of(process) != os::own_user(); });
    return all;
  }
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/proc", none)) {
    long long process = 0;
    if (os::parse_integer(entry.path().filename().string(), process))
      all.push_back(static_cast<int>(process));
  }
  return all;
}

using RankProcesses = std::map<int, RankProcess>;

// A rank may be a script that starts the program: who started the first process of it.
int starter_of(const RankProcesses& all, const RankProcess& it) {
  const RankProcess* first = &it;
  for (std::size_t steps = 0; steps < all.size(); ++steps) {
    const auto above = all.find(first->parent);
    if (above == all.end() || above->second.variables.launcher != it.variables.launcher ||
        above->second.variables.number != it.variables.number)
      break;
    first = &above->second;
  }
  return first->parent;
}

Job& job_of(std::vector<Job>& jobs, Launcher launcher, int parent) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
    return job.launcher == launcher && job.parent == parent;
  });
  if (found != jobs.end()) return *found;
  jobs.push_back({launcher, parent, 0, {}});
  return jobs.back();
}

// Of several processes of one rank the one that has most threads, else the youngest, computes. What
// is told anew of a process counts.
void add_rank(Job& job, const Rank& rank, int told) {
  const auto same = std::find_if(job.ranks.begin(), job.ranks.end(),
                                 [&](const Rank& other) { return other.number == rank.number; });
  if (same == job.ranks.end())
    job.ranks.push_back(rank);
  else if (rank.process == same->process || rank.threads > same->threads ||
           (rank.threads == same->threads && rank.process > same->process))
    *same = rank;
  std::sort(job.ranks.begin(), job.ranks.end(),
            [](const Rank& a, const Rank& b) { return a.number < b.number; });
  job.local_ranks = std::max({job.local_ranks, told, static_cast<int>(job.ranks.size())});
}

// The job that the process is a rank of. Where it was not seen: one of its launcher, or a new one.
Job& job_with(std::vector<Job>& jobs, Launcher launcher, int process) {
  for (Job& job : jobs)
    for (const Rank& rank : job.ranks)
      if (rank.process == process) return job;
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const Job& job) { return job.launcher == launcher; });
  return found != jobs.end() ? *found : job_of(jobs, launcher, 0);
}

}  // namespace

const char* launcher_name(Launcher launcher) {
  switch (launcher) {
    case Launcher::open_mpi4:
      return "Open MPI 4";
    case Launcher::open_mpi5:
      return "Open MPI 5";
    case Launcher::mpich:
      return "MPICH's Hydra";
    case Launcher::slurm:
      return "Slurm";
    case Launcher::prrte:
      return "PRRTE";
  }
  return "?";
}

// Launchers may be started by each other: the innermost one's variables come first.
std::optional<RankVariables> read_rank_variables(const Environment& environment) {
  if (has(environment, "OMPI_COMM_WORLD_LOCAL_RANK"))
    return as_rank(environment, open_mpi(environment), "OMPI_COMM_WORLD_LOCAL_RANK",
                   "OMPI_COMM_WORLD_LOCAL_SIZE");
  if (has(environment, "MPI_LOCALRANKID"))
    return as_rank(environment, Launcher::mpich, "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
  const bool step = has(environment, "SLURM_STEP_ID") && has(environment, "SLURM_LOCALID");
  if (step && !has_prefix(environment, "PRTE_")) {
    RankVariables rank = as_rank(environment, Launcher::slurm, "SLURM_LOCALID", "");
    rank.local_ranks = tasks_on_node(value_of(environment, "SLURM_STEP_TASKS_PER_NODE"),
                                     number_of(environment, "SLURM_NODEID", 0));
    return rank;
  }
  if (has(environment, "PMIX_RANK")) return as_rank(environment, Launcher::prrte, "PMIX_RANK", "");
  return std::nullopt;
}

std::vector<Job> read_jobs(const std::string& root) {
  RankProcesses all;
  for (const int process : processes_below(root)) {
    const std::string folder = root + "/proc/" + std::to_string(process);
    if (std::optional<RankProcess> found = read_rank(folder, process))
      all.emplace(process, *std::move(found));
  }
  std::vector<Job> jobs;
  for (const auto& [process, it] : all)
    add_rank(job_of(jobs, it.variables.launcher, starter_of(all, it)), it.rank,
             it.variables.local_ranks);
  return jobs;
}

std::vector<Job> read_jobs_with(const std::string& root, const Environment& environment,
                                Rank self) {
  const std::optional<RankVariables> own = read_rank_variables(environment);
  constexpr int most_looks = 20;
  for (int look = 1;; ++look) {
    std::vector<Job> jobs = read_jobs(root);
    if (!own) return jobs;
    self.number = own->number;
    Job& job = job_with(jobs, own->launcher, self.process);
    add_rank(job, self, own->local_ranks);
    const bool all_there = static_cast<int>(job.ranks.size()) >= own->local_ranks;
    if (all_there || look == most_looks || !root.empty()) return jobs;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace xylem::tool
