// What Open MPI, PRRTE, Hydra, Slurm and Cray's library read; see launchers.hpp.
#include "tool/mpi/launchers.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace xylem::tool::mpi {

namespace {

using Hosts = std::vector<std::string>;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

const Place& place_of(const Cluster& cluster, const Mapping& mapping, int rank) {
  return cluster.place(mapping[at(rank)]);
}

// The ranks of each machine, ascending: the order in which launchers number them there.
std::vector<std::vector<int>> ranks_by_machine(const Cluster& cluster, const Mapping& mapping) {
  std::vector<std::vector<int>> all(at(cluster.machines()));
  for (int rank = 0; rank < static_cast<int>(mapping.size()); ++rank)
    all[at(place_of(cluster, mapping, rank).machine)].push_back(rank);
  return all;
}

// "0=a slot=p0,4": Open MPI's rank file with the kernel's numbers of PUs.
Launch rank_file(const Cluster& cluster, const Mapping& mapping, const Hosts& hosts,
                 const char* command) {
  Launch launch;
  for (int rank = 0; rank < static_cast<int>(mapping.size()); ++rank) {
    const Place& place = place_of(cluster, mapping, rank);
    launch.file += fmt::format("rank {}={} slot={}\n", rank, hosts[at(place.machine)],
                               fmt::join(place.pus, ","));
  }
  launch.command = command;
  return launch;
}

Launch open_mpi_4(const Cluster& cluster, const Mapping& mapping, const Hosts& hosts) {
  return rank_file(cluster, mapping, hosts,
                   "mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE ./app");
}

// PRRTE numbers cores (hardware threads only with :HWTCPUS) as hwloc does, from left to right.
Launch open_mpi_5(const Cluster& cluster, const Mapping& mapping, const Hosts& hosts) {
  Launch launch;
  for (int rank = 0; rank < static_cast<int>(mapping.size()); ++rank) {
    const Place& place = place_of(cluster, mapping, rank);
    launch.file += fmt::format("rank {}={} slot={}\n", rank, hosts[at(place.machine)],
                               fmt::join(place.cores, ","));
  }
  launch.command = "mpirun --map-by rankfile:file=FILE ./app";
  return launch;
}

// On each host the PUs of its ranks in ascending order, those of one rank joined by `join`.
std::vector<std::string> lists_by_host(const Cluster& cluster, const Mapping& mapping,
                                       const char* join) {
  std::vector<std::string> lists;
  for (const std::vector<int>& ranks : ranks_by_machine(cluster, mapping)) {
    std::vector<std::string> of_rank;
    of_rank.reserve(ranks.size());
    for (const int rank : ranks)
      of_rank.push_back(fmt::format("{}", fmt::join(place_of(cluster, mapping, rank).pus, join)));
    lists.push_back(fmt::format("{}", fmt::join(of_rank, join[0] == '+' ? "," : " ")));
  }
  return lists;
}

// The one list of all hosts that have ranks; "" if theirs differ.
std::string shared_list(const std::vector<std::string>& lists) {
  std::string shared;
  for (const std::string& list : lists) {
    if (!list.empty() && !shared.empty() && list != shared) return "";
    if (!list.empty()) shared = list;
  }
  return shared;
}

// A shell script that binds each rank by itself, for launchers with one list for all hosts where
// hosts differ. `local` is the variable that numbers the ranks of a host.
std::string pin_script(const std::vector<std::string>& lists, const Hosts& hosts,
                       const char* local) {
  std::string script = "\n# ./pin is:\n#!/bin/sh\ncase $(hostname -s) in\n";
  for (std::size_t machine = 0; machine < lists.size(); ++machine)
    if (!lists[machine].empty())
      script += fmt::format("{}) set -- {} -- \"$@\";;\n", hosts[machine], lists[machine]);
  return script + fmt::format(
                      "esac\neval \"cpus=\\${{$(({} + 1))}}\"\n"
                      "while [ \"$1\" != -- ]; do shift; done; shift\n"
                      "exec taskset -c \"$cpus\" \"$@\"",
                      local);
}

std::string host_of_each(const Cluster& cluster, const Mapping& mapping, const Hosts& hosts,
                         const char* suffix) {
  std::string lines;
  for (int rank = 0; rank < static_cast<int>(mapping.size()); ++rank)
    lines += fmt::format("{}{}\n", hosts[at(place_of(cluster, mapping, rank).machine)], suffix);
  return lines;
}

Launch hydra(const Cluster& cluster, const Mapping& mapping, const Hosts& hosts) {
  const std::string list = shared_list(lists_by_host(cluster, mapping, "+"));
  const std::string begin = fmt::format("mpiexec -f FILE -n {} ", mapping.size());
  Launch launch{host_of_each(cluster, mapping, hosts, ":1"), ""};
  launch.command = !list.empty() ? fmt::format("{}-bind-to user:{} ./app", begin, list)
                                 : begin + "./pin ./app" +
                                       pin_script(lists_by_host(cluster, mapping, ","), hosts,
                                                  "MPI_LOCALRANKID");
  return launch;
}

// map_cpu takes one PU a rank; masks would be needed for more, so cores with several PUs are bound
// by the script as well.
Launch slurm(const Cluster& cluster, const Mapping& mapping, const Hosts& hosts) {
  const std::string list = shared_list(lists_by_host(cluster, mapping, "+"));
  const bool listed = !list.empty() && list.find('+') == std::string::npos;
  const std::string begin = fmt::format(
      "SLURM_HOSTFILE=FILE srun -n {} --distribution=arbitrary --cpu-bind=", mapping.size());
  Launch launch{host_of_each(cluster, mapping, hosts, ""), ""};
  launch.command =
      listed ? fmt::format("{}map_cpu:{} ./app", begin, list)
             : begin + "none ./pin ./app" +
                   pin_script(lists_by_host(cluster, mapping, ","), hosts, "SLURM_LOCALID");
  return launch;
}

// The ranks in the order of the places, a line a machine; the library counts places by itself, so
// each machine's ranks stand from its first place on.
Launch cray(const Cluster& cluster, const Mapping& mapping, const Hosts&) {
  Launch launch;
  for (std::vector<int> ranks : ranks_by_machine(cluster, mapping)) {
    std::sort(ranks.begin(), ranks.end(),
              [&](int a, int b) { return mapping[at(a)] < mapping[at(b)]; });
    if (!ranks.empty()) launch.file += fmt::format("{}\n", fmt::join(ranks, ","));
  }
  launch.command = "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=FILE srun ./app";
  return launch;
}

}  // namespace

const std::vector<Launcher>& launchers() {
  static const std::vector<Launcher> all = {
      {"openmpi4", "Open MPI 4: a rank file", open_mpi_4},
      {"openmpi5", "Open MPI 5 and PRRTE: a rank file", open_mpi_5},
      {"hydra", "MPICH's Hydra: -bind-to user and a list of hosts", hydra},
      {"slurm", "Slurm: arbitrary distribution and map_cpu", slurm},
      {"cray", "Cray MPICH: a file of reordered ranks", cray}};
  return all;
}

const Launcher* find_launcher(std::string_view name) {
  for (const Launcher& launcher : launchers())
    if (name == launcher.name) return &launcher;
  return nullptr;
}

}  // namespace xylem::tool::mpi
