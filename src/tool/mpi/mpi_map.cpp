// Reads a matrix, places its ranks in four ways, shows what each costs, and writes the best one in
// the words of a launcher; see mpi_map.hpp.
#include "tool/mpi/mpi_map.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "tool/command/common.hpp"
#include "tool/command/drawing.hpp"
#include "tool/mpi/launchers.hpp"
#include "tool/mpi/picture.hpp"
#include "tool/mpi/scotch.hpp"

namespace xylem::tool::mpi {

namespace {

constexpr int kImproveRounds = 8;

struct Candidate {
  std::string name;
  Mapping mapping;
  Measures measures;
};

std::unique_ptr<topo::Machine> load(const MapOptions& options) {
  const Drawing drawing = chosen_drawing(options.machine, current_environment());
  const base::Result<topo::Machine*> loaded = topo::load_machine(drawing.text, true);
  if (!loaded.ok()) throw InputError(trouble_with(drawing, loaded.error()));
  return std::unique_ptr<topo::Machine>(loaded.value());
}

Cluster cluster_for(const MapOptions& options, int ranks, const std::string& file) {
  const std::unique_ptr<topo::Machine> machine = load(options);
  Cluster cluster(*machine, options.machines, std::max(options.cores, 1));
  if (cluster.size() >= ranks) return cluster;
  if (options.cores == 0) {
    cluster = Cluster(*machine, options.machines, 0);
    if (cluster.size() >= ranks) return cluster;
  }
  throw InputError(fmt::format("'{}' has {}, but {} of this kind {} only {} for them", file,
                               counted(ranks, "rank"), counted(options.machines, "machine"),
                               options.machines == 1 ? "has" : "have",
                               counted(cluster.size(), options.cores == 0 ? "PU" : "place")));
}

void add(const std::string& name, Mapping mapping, const Communication& communication,
         const Cluster& cluster, std::vector<Candidate>& all) {
  const Measures measures = measure(communication, cluster, mapping);
  all.push_back({name, std::move(mapping), measures});
}

// The last one is what is proposed.
std::vector<Candidate> candidates(const Communication& communication, const Cluster& cluster) {
  std::vector<Candidate> all;
  add("round robin", round_robin(communication.ranks, cluster), communication, cluster, all);
  add("by node", packed(communication.ranks), communication, cluster, all);
  add("greedy", greedy(communication, cluster), communication, cluster, all);
  std::variant<Mapping, std::string> scotch = by_scotch(communication, cluster);
  if (const auto* why = std::get_if<std::string>(&scotch)) {
    say("placed without SCOTCH: {}", *why);
  } else {
    add("SCOTCH", std::get<Mapping>(std::move(scotch)), communication, cluster, all);
  }
  Mapping best = std::ranges::min_element(all, {}, [](const Candidate& candidate) {
                   return candidate.measures.hop_bytes;
                 })->mapping;
  improve(communication, cluster, best, kImproveRounds);
  add("placed", std::move(best), communication, cluster, all);
  return all;
}

void print_table(const std::vector<Candidate>& all, int machines) {
  const bool network = machines > 1;
  fmt::print("{:<12} {:>12} {:>14}{}\n", "", "hop-bytes", "largest link",
             network ? "   over network" : "");
  for (const Candidate& candidate : all) {
    const Measures& measures = candidate.measures;
    fmt::print("{:<12} {:>12} {:>14}{}\n", candidate.name, bytes_text(measures.hop_bytes),
               bytes_text(measures.largest_link),
               network ? fmt::format(" {:>14}", bytes_text(measures.network_bytes)) : "");
  }
}

void print_places(const Cluster& cluster, const Mapping& mapping) {
  fmt::print("\nrank:PU{}", cluster.machines() > 1 ? " by machine" : "");
  int machine = -1;
  std::vector<int> order(static_cast<std::size_t>(cluster.size()), -1);
  for (std::size_t rank = 0; rank < mapping.size(); ++rank)
    order[static_cast<std::size_t>(mapping[rank])] = static_cast<int>(rank);
  for (int place = 0; place < cluster.size(); ++place) {
    const int rank = order[static_cast<std::size_t>(place)];
    if (rank < 0) continue;
    if (cluster.place(place).machine != machine) {
      machine = cluster.place(place).machine;
      fmt::print("\n{:>4} ", machine);
    }
    fmt::print(" {}:{}", rank, fmt::join(cluster.place(place).pus, "+"));
  }
  fmt::print("\n");
}

std::vector<std::string> host_names(const MapOptions& options) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < options.hosts.size();) {
    const std::size_t end = std::min(options.hosts.find(',', at), options.hosts.size());
    names.push_back(options.hosts.substr(at, end - at));
    at = end + 1;
  }
  if (options.hosts.empty()) {
    for (int machine = 0; machine < options.machines; ++machine)
      names.push_back(options.machines == 1 ? "localhost" : fmt::format("node{}", machine));
  }
  if (static_cast<int>(names.size()) != options.machines) {
    throw InputError(fmt::format("--hosts names {}, but --nodes says {}",
                                 counted(static_cast<long long>(names.size()), "host"),
                                 options.machines));
  }
  return names;
}

void write_file(const std::string& name, const std::string& text, const char* option) {
  std::ofstream out(name, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw InputError(fmt::format("{} '{}' cannot be written", option, name));
}

void write_launch(const MapOptions& options, const Cluster& cluster, const Mapping& mapping) {
  const Launcher* launcher = find_launcher(options.launcher);
  if (launcher == nullptr) {
    std::string known;
    for (const Launcher& one : launchers()) known += fmt::format(" {}", one.name);
    throw InputError(
        fmt::format("there is no launcher '{}'; there are{}", options.launcher, known));
  }
  Launch launch = launcher->write(cluster, mapping, host_names(options));
  const std::string name = options.output.empty() ? "FILE" : options.output;
  for (std::size_t at = 0; (at = launch.command.find("FILE", at)) != std::string::npos;) {
    const bool word = at + 4 == launch.command.size() || launch.command[at + 4] == ' ';
    if (word) launch.command.replace(at, 4, name);
    at += word ? name.size() : 4;
  }
  fmt::print("\n{}\n", launch.command);
  if (options.output.empty()) {
    fmt::print("\n{}", launch.file);
  } else {
    write_file(options.output, launch.file, "--output");
  }
}

void map_and_show(const MapOptions& options, const std::string& file) {
  const Communication communication = read_communication(file);
  const Cluster cluster = cluster_for(options, communication.ranks, file);
  const std::vector<Candidate> all = candidates(communication, cluster);
  fmt::print("{} on {} with {} each\n\n", counted(communication.ranks, "rank"),
             counted(options.machines, "machine"), counted(cluster.places_a_machine(), "place"));
  print_table(all, options.machines);
  print_places(cluster, all.back().mapping);
  if (!options.svg.empty()) {
    const std::vector<Shown> shown = {
        {"By node, as launchers do", &all[1].mapping, all[1].measures},
        {"Placed", &all.back().mapping, all.back().measures}};
    write_file(options.svg, draw_matrices(communication, cluster, shown), "--svg");
  }
  if (!options.launcher.empty()) write_launch(options, cluster, all.back().mapping);
}

}  // namespace

Placement place_ranks(const MapOptions& options, const std::string& file) {
  const Communication communication = read_communication(file);
  Cluster cluster = cluster_for(options, communication.ranks, file);
  Mapping mapping = candidates(communication, cluster).back().mapping;
  return {std::move(cluster), std::move(mapping)};
}

int map_ranks(const MapOptions& options, const std::string& file) {
  try {
    map_and_show(options, file);
  } catch (const InputError& error) {
    return complain(kBadUse, "{}", error.what());
  }
  return kSuccess;
}

}  // namespace xylem::tool::mpi
