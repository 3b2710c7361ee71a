// From a Communication to SCOTCH's graph and back; see scotch.hpp.
#include "tool/mpi/scotch.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tool/command/installation.hpp"
#include "tool/mpi/scotch_plugin.hpp"

namespace xylem::tool::mpi {

namespace {

// SCOTCH's weights are 32-bit numbers, and it adds them up.
constexpr double kLargestWeight = 1 << 20;

struct Graph {
  std::vector<int> begin{0};
  std::vector<int> partner;
  std::vector<int> weight;
};

Graph graph_of(const Communication& communication) {
  const auto partners = partners_of(communication);
  double most = 0;
  for (const auto& of_rank : partners)
    for (const Partner& partner : of_rank) most = std::max(most, partner.bytes);
  const double scale = most > kLargestWeight ? kLargestWeight / most : 1;
  Graph graph;
  for (const auto& of_rank : partners) {
    for (const Partner& partner : of_rank) {
      graph.partner.push_back(partner.rank);
      graph.weight.push_back(std::max(1, static_cast<int>(std::lround(partner.bytes * scale))));
    }
    graph.begin.push_back(static_cast<int>(graph.partner.size()));
  }
  return graph;
}

using Map = int (*)(const XylemScotchJob*);

std::variant<Map, std::string> load_plugin() {
  const std::string file = library_folder() + "/libxylem-scotch.so";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::string(dlerror());
  void* symbol = dlsym(library, "xylem_scotch_map");
  if (symbol == nullptr) return fmt::format("'{}' is another library", file);
  return reinterpret_cast<Map>(symbol);
}

}  // namespace

std::variant<Mapping, std::string> by_scotch(const Communication& communication,
                                             const Cluster& cluster) {
  const std::vector<int> arities = cluster.arities();
  if (arities.empty()) {
    if (cluster.size() == 1) return Mapping(1, 0);
    return std::string("the machine's levels have different numbers of children");
  }
  const auto plugin = load_plugin();
  if (const auto* why = std::get_if<std::string>(&plugin)) return *why;
  const Graph graph = graph_of(communication);
  // A link a level costs the same: distance is the number of levels to climb, as Cluster's.
  const std::vector<int> costs(arities.size(), 1);
  std::vector<int> place(static_cast<std::size_t>(communication.ranks));
  std::array<char, 256> trouble{};
  const XylemScotchJob job{static_cast<int>(arities.size()),
                           arities.data(),
                           costs.data(),
                           communication.ranks,
                           graph.begin.data(),
                           graph.partner.data(),
                           graph.weight.data(),
                           place.data(),
                           trouble.data(),
                           static_cast<unsigned>(trouble.size())};
  if (std::get<Map>(plugin)(&job) != 0) return fmt::format("SCOTCH: {}", trouble.data());
  return repair(communication, cluster, place);
}

}  // namespace xylem::tool::mpi
