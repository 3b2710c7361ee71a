// What of the ranks of MPI jobs on this machine will hurt: see findings.hpp.
#include <algorithm>

#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

bool is_within(os::CpuSet inner, const os::CpuSet& outer) {
  const int all = inner.count();
  inner.intersect(outer);
  return inner.count() == all;
}

// The options by which the launcher gives each rank so many cores of its own.
std::string cores_option(Launcher launcher, int cores) {
  switch (launcher) {
    case Launcher::open_mpi4:
    case Launcher::open_mpi5:
      return fmt::format("`mpirun --map-by slot:PE={} --bind-to core`", cores);
    case Launcher::mpich:
      return fmt::format("`mpiexec -bind-to core:{}`", cores);
    case Launcher::slurm:
      return fmt::format("`srun --cpus-per-task={} --cpu-bind=cores`", cores);
    case Launcher::prrte:
      return fmt::format("`prun --map-by slot:PE={} --bind-to core`", cores);
  }
  return {};
}

// The options by which the launcher gives each rank a socket.
const char* socket_option(Launcher launcher) {
  switch (launcher) {
    case Launcher::open_mpi4:
      return "`mpirun --map-by ppr:1:socket --bind-to socket`";
    case Launcher::open_mpi5:
      return "`mpirun --map-by ppr:1:package --bind-to package`";
    case Launcher::mpich:
      return "`mpiexec -bind-to socket`";
    case Launcher::slurm:
      return "`srun --ntasks-per-socket=1 --cpu-bind=sockets`";
    case Launcher::prrte:
      return "`prun --map-by ppr:1:package --bind-to package`";
  }
  return "";
}

int cores_for_each(const Facts& facts, const Job& job) {
  return std::max(1, facts.online.count() / std::max(1, job.local_ranks));
}

// "The 4 ranks that Open MPI 4 started here (process 12)".
std::string ranks_text(const Job& job, int ranks) {
  const std::string starter = job.parent > 0 ? fmt::format(" (process {})", job.parent) : "";
  return fmt::format("{} {} that {} started here{}", ranks == job.local_ranks ? "The" : "Of those",
                     counted(ranks, "rank"), launcher_name(job.launcher), starter);
}

// Sets of processors that could be too small for the ranks that may run only there: each rank's
// mask, and all together.
std::vector<os::CpuSet> masks_of(const Job& job) {
  std::vector<os::CpuSet> masks;
  os::CpuSet all;
  for (const Rank& rank : job.ranks) {
    if (std::find(masks.begin(), masks.end(), rank.cpus) == masks.end()) masks.push_back(rank.cpus);
    for (int cpu = rank.cpus.next(-1); cpu >= 0; cpu = rank.cpus.next(cpu)) all.add(cpu);
  }
  if (std::find(masks.begin(), masks.end(), all) == masks.end()) masks.push_back(all);
  return masks;
}

struct Crowd {
  int ranks = 0;
  long long threads = 0;
};

Crowd crowd_within(const Job& job, const os::CpuSet& cpus) {
  Crowd crowd;
  for (const Rank& rank : job.ranks) {
    if (!is_within(rank.cpus, cpus)) continue;
    ++crowd.ranks;
    crowd.threads += rank.threads;
  }
  return crowd;
}

// More ranks bound to a set of processors than it has, while there are others.
bool check_bound_together(const Facts& facts, const Job& job, std::vector<Finding>& out) {
  for (const os::CpuSet& cpus : masks_of(job)) {
    const int ranks = crowd_within(job, cpus).ranks;
    if (ranks <= cpus.count() || cpus.count() >= facts.online.count()) continue;
    const int cores = cores_for_each(facts, job);
    out.push_back(
        {"ranks-on-one-core", true,
         fmt::format("{} may run on {} {} alone, of {}: they take turns there, and the others stay "
                     "idle.",
                     ranks_text(job, ranks), cpus.count() == 1 ? "processor" : "processors",
                     cpu_list(cpus), facts.online.count()),
         fmt::format("Give each rank cores of its own: {}; or let `xylem mpi run` place them.",
                     cores_option(job.launcher, cores))});
    return true;
  }
  return false;
}

// Ranks that were not seen are taken to have as many threads as the one that was, and all
// processors: where each has a mask, the sum is within them all the same.
Crowd crowd_on_machine(const Job& job) {
  Crowd crowd{job.local_ranks, 0};
  for (const Rank& rank : job.ranks) crowd.threads += rank.threads;
  const auto seen = static_cast<int>(job.ranks.size());
  crowd.threads += static_cast<long long>(job.local_ranks - seen) * job.ranks.front().threads;
  return crowd;
}

void tell_threads(const Facts& facts, const Job& job, const Crowd& crowd, const os::CpuSet& cpus,
                  std::vector<Finding>& out) {
  const int fitting = std::max(1, cpus.count() / std::max(1, crowd.ranks));
  out.push_back({"ranks-times-threads", true,
                 fmt::format("{} have {} together, but {} ({}) for them.",
                             ranks_text(job, crowd.ranks), counted(crowd.threads, "thread"),
                             counted(cpus.count(), "processor"), cpu_list(cpus)),
                 fmt::format("OMP_NUM_THREADS={}, and cores of its own for each rank: {}.{}",
                             fitting, cores_option(job.launcher, cores_for_each(facts, job)),
                             crowd.ranks > cpus.count() ? " Fewer ranks would do better." : "")});
}

void check_threads(const Facts& facts, const Job& job, std::vector<Finding>& out) {
  for (const os::CpuSet& cpus : masks_of(job)) {
    const Crowd crowd = crowd_within(job, cpus);
    if (crowd.ranks > 1 && crowd.threads > cpus.count())
      return tell_threads(facts, job, crowd, cpus, out);
  }
  const Crowd all = crowd_on_machine(job);
  if (all.ranks > 1 && all.threads > facts.online.count())
    tell_threads(facts, job, all, facts.online, out);
}

// The kernel's numbers of the PUs of each socket; where there is one socket, of each memory node.
std::vector<os::CpuSet> sockets_of(const topo::Machine& machine) {
  for (const topo::LevelKind kind : {topo::LevelKind::package, topo::LevelKind::node}) {
    std::vector<os::CpuSet> sockets;
    for (const topo::Level& level : machine.full_levels()) {
      if (level.kind != kind) continue;
      os::CpuSet cpus;
      for (int pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu)
        cpus.add(machine.pu_os_index(pu));
      sockets.push_back(cpus);
    }
    if (sockets.size() > 1) return sockets;
  }
  return {};
}

bool is_on_several(const os::CpuSet& cpus, const std::vector<os::CpuSet>& sockets) {
  return std::count_if(sockets.begin(), sockets.end(), [&](os::CpuSet socket) {
           socket.intersect(cpus);
           return !socket.empty();
         }) > 1;
}

// As many ranks as sockets, each with threads, that may run on all of them.
void check_socket_masks(const Facts& facts, const Job& job, std::vector<Finding>& out) {
  if (facts.machine == nullptr) return;
  const std::vector<os::CpuSet> sockets = sockets_of(*facts.machine);
  if (job.local_ranks != static_cast<int>(sockets.size())) return;
  for (const Rank& rank : job.ranks)
    if (rank.threads == 1 || !is_on_several(rank.cpus, sockets)) return;
  out.push_back({"ranks-without-mask", true,
                 fmt::format("{} are one for each socket, but each may run on several sockets: its "
                             "threads wander away from its memory, and meet the others'.",
                             ranks_text(job, job.local_ranks)),
                 fmt::format("Bind each rank to its socket: {}.", socket_option(job.launcher))});
}

}  // namespace

void check_ranks(const Facts& facts, std::vector<Finding>& out) {
  for (const Job& job : facts.jobs) {
    if (job.local_ranks < 2 || job.ranks.empty()) continue;
    if (!check_bound_together(facts, job, out)) check_threads(facts, job, out);
    check_socket_masks(facts, job, out);
  }
}

}  // namespace xylem::tool
