// Owns: the choice between engines. See arbiter.hpp.
#include "count/engine/arbiter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>

#include "count/table/by_thread.hpp"
#include "policy/weigh.hpp"

namespace xylem::count {

namespace {

// Threads move only for an iteration that is so much shorter: a move is judged by time, and noise
// is no gain.
constexpr double least_gain = 0.05;

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

std::vector<PageHome> after_moves(std::span<const PageHome> homes,
                                  std::span<const PageMove> moves) {
  std::vector<PageHome> after(homes.begin(), homes.end());
  auto home = after.begin();
  for (const PageMove& move : moves) {
    home = std::lower_bound(home, after.end(), move.page,
                            [](const PageHome& at, uint64_t page) { return at.page < page; });
    home->node = move.to;
  }
  return after;
}

// How long the accesses take, and which share is local.
struct Outcome {
  double ns = 0;
  double local = 0;
};

Outcome outcome(std::span<const Cell> cells, std::span<const PageHome> homes,
                const plan::Costs& costs) {
  Outcome made;
  double all = 0;
  auto home = homes.begin();
  for (const Cell& cell : cells) {
    while (home != homes.end() && home->page < cell.row) ++home;
    if (home == homes.end()) break;
    if (home->page != cell.row) continue;
    const std::size_t pair = costs.at(cell.node, home->node);
    const auto accesses = static_cast<double>(cell.accesses());
    made.ns += static_cast<double>(cell.reads) * costs.read_latency_ns[pair] +
               static_cast<double>(cell.writes) * costs.write_latency_ns[pair];
    made.local += cell.node == home->node ? accesses : 0;
    all += accesses;
  }
  if (all > 0) made.local /= all;
  return made;
}

// What is chosen if threads are on these nodes.
Choice with_threads(const Iteration& iteration, std::span<const int> node_of) {
  const Counts histogram = page_histogram(iteration.accesses, node_of, iteration.costs.nodes);
  const std::vector<Cell> cells = histogram.sorted();
  Choice made;
  if (iteration.pages_may_move)
    made.pages = plan_pages({.cells = cells,
                             .homes = iteration.homes,
                             .costs = iteration.costs,
                             .iterations_left = iteration.iterations_left,
                             .history = iteration.history,
                             .free_pages = iteration.free_pages});
  const Outcome before = outcome(cells, iteration.homes, iteration.costs);
  const Outcome after =
      outcome(cells, after_moves(iteration.homes, made.pages.moves), iteration.costs);
  made.before_ns = before.ns;
  made.after_ns = after.ns;
  made.local_before = before.local;
  made.local_after = after.local;
  return made;
}

// Algorithm 3 of paper 003. `room` by node.
Mapping mapping_of(const Iteration& iteration, std::span<const int> room) {
  const Counts by_thread = thread_nodes(iteration.accesses, iteration.homes, iteration.costs.nodes);
  const ThreadNodeTable table =
      thread_node_table(by_thread, static_cast<int>(iteration.node_of.size()));
  const NumaFactors factors(iteration.costs);
  return shortest_path_mapping({table, room, factors});
}

int moved_threads(const Iteration& iteration, const Mapping& mapping) {
  int moved = 0;
  for (std::size_t i = 0; i < mapping.size(); ++i) moved += mapping[i] != iteration.node_of[i];
  return moved;
}

// By node.
std::vector<int> threads_on(const Iteration& iteration) {
  std::vector<int> threads(index_of(iteration.costs.nodes));
  for (const int node : iteration.node_of) ++threads[index_of(node)];
  return threads;
}

// See Choice::iterations_of. As if each thread were a PU, to which another goes; the mapping has as
// many threads on each node as there are.
std::vector<int> iterations_by(const Mapping& mapping, std::span<const int> node_of) {
  std::vector<int> now(mapping.size()), from(mapping.size());
  std::iota(now.begin(), now.end(), 0);
  const std::vector<int> taker = pus_of_mapping(mapping, now, node_of);
  for (const int thread : now) from[index_of(taker[index_of(thread)])] = thread;
  return from;
}

// All iterations that are left, and the moves before them. Iterations of loops move for nothing.
double total_ns(const Iteration& iteration, const Choice& choice, int moved_threads) {
  return choice.after_ns * iteration.iterations_left +
         iteration.costs.move_ns(static_cast<double>(choice.pages.moves.size())) +
         moved_threads * policy::thread_move_ns;
}

// All that a thread accesses goes along with it, its iterations' accesses alone with these: so they
// go where threads may not.
void carry_out(Choice& go, const Iteration& iteration, const Mapping& mapping) {
  if (iteration.threads_may_move)
    go.threads = mapping;
  else
    go.iterations_of = iterations_by(mapping, iteration.node_of);
}

}  // namespace

Choice choose(const Iteration& iteration) {
  Choice stay = with_threads(iteration, iteration.node_of);
  const bool threads = iteration.threads_may_move;
  if (!threads && !iteration.iterations_may_move) return stay;
  const std::vector<int> as_now = threads_on(iteration);
  const Mapping mapping = mapping_of(iteration, threads ? iteration.room : as_now);
  const int moved = moved_threads(iteration, mapping);
  if (moved == 0) return stay;
  Choice go = with_threads(iteration, mapping);
  const double limit = total_ns(iteration, stay, 0) * (1 - least_gain);
  if (total_ns(iteration, go, threads ? moved : 0) >= limit) return stay;
  carry_out(go, iteration, mapping);
  go.before_ns = stay.before_ns;
  go.local_before = stay.local_before;
  return go;
}

std::size_t with_other_iterations(const Choice& choice) {
  std::size_t threads = 0;
  for (std::size_t i = 0; i < choice.iterations_of.size(); ++i)
    threads += index_of(choice.iterations_of[i]) != i;
  return threads;
}

std::vector<int> pus_of_mapping(const Mapping& mapping, std::span<const int> now,
                                std::span<const int> node_of_pu) {
  std::vector<int> pus(mapping.size(), -1);
  std::vector<int> threads(node_of_pu.size());  // by PU
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    const std::size_t pu = index_of(now[i]);
    if (node_of_pu[pu] != mapping[i] || threads[pu] > 0) continue;
    pus[i] = now[i];
    ++threads[pu];
  }
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    if (pus[i] >= 0) continue;
    int best = -1;
    for (std::size_t pu = 0; pu < node_of_pu.size(); ++pu)
      if (node_of_pu[pu] == mapping[i] && (best < 0 || threads[pu] < threads[index_of(best)]))
        best = static_cast<int>(pu);
    pus[i] = best;
    ++threads[index_of(best)];
  }
  return pus;
}

}  // namespace xylem::count
