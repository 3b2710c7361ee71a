// Tables for the thread engine, and algorithms 2 and 3 beside the exact search on many of them.
#pragma once

#include <algorithm>
#include <vector>

#include "count/engine/threads.hpp"
#include "plan/random.hpp"

namespace xylem::test {

struct DrawnTable {
  count::ThreadNodeTable table;
  std::vector<int> room;
  count::NumaFactors factors;

  count::ThreadQuestion question() const { return {table, room, factors}; }
};

// Whom a table is like. `even`: the paper's Table 1, where each thread asks all nodes nearly alike.
// `touched`: threads whose data was first touched, each with a node that gets 25 to 100 percent of
// its requests.
enum class Kind { even, touched };

// Threads differ by up to 4 times. Rooms are equal and take one thread a node more than need be, or
// none more.
inline DrawnTable draw_table(plan::Random& random, int threads, int nodes,
                             Kind kind = Kind::touched) {
  const int room = (threads + nodes - 1) / nodes + random.below(2);
  DrawnTable drawn{{threads, nodes, {}},
                   std::vector<int>(static_cast<std::size_t>(nodes), room),
                   count::NumaFactors(nodes, 1.5 + random.below(51) / 100.0)};
  for (int thread = 0; thread < threads; ++thread) {
    const auto requests = static_cast<uint64_t>(500000 + random.below(1500000));
    const int percent = kind == Kind::even ? random.below(3) : 25 + random.below(76);
    const uint64_t at_home = requests * static_cast<uint64_t>(percent) / 100;
    const int home = random.below(nodes);
    for (int node = 0; node < nodes; ++node)
      drawn.table.requests.push_back((node == home ? at_home : 0) +
                                     (requests - at_home) / static_cast<uint64_t>(nodes) +
                                     static_cast<uint64_t>(random.below(5000)));
  }
  return drawn;
}

// How far mappings are from the best, each as a share of the best.
struct Distance {
  int optimal = 0;
  int within_percent = 0;  // at most 1 percent worse: the paper's measure of "same"
  double worst = 0;
  double sum = 0;

  void add(double loss) {
    optimal += loss < 1e-9 ? 1 : 0;
    within_percent += loss < 0.01 ? 1 : 0;
    worst = std::max(worst, loss);
    sum += loss;
  }
};
// Of the three aims of an exact search.
struct Distances {
  Distance local_accesses, critical_node, critical_thread;
};
struct Comparison {
  int tables = 0;
  Distances algorithm_2, algorithm_3;
};

inline void add_distances(const count::ThreadQuestion& question, const count::Assessment& best,
                          const count::Mapping& mapping, Distances& distances) {
  const count::Assessment of_it = assess(question, mapping);
  distances.local_accesses.add(1 - of_it.local_accesses / best.local_accesses);
  distances.critical_node.add(of_it.critical_node / best.critical_node - 1);
  distances.critical_thread.add(of_it.critical_thread / best.critical_thread - 1);
}

// Tables of 4 to 8 threads on 2 to 4 nodes.
inline Comparison compare_with_exact(Kind kind, int tables, uint64_t seed) {
  plan::Random random(seed);
  Comparison made;
  for (; made.tables < tables; ++made.tables) {
    const int threads = 4 + random.below(5);
    const int nodes = 2 + random.below(3);
    const DrawnTable drawn = draw_table(random, threads, nodes, kind);
    const count::ThreadQuestion question = drawn.question();
    const auto best_of = [&](count::Aim aim) {
      return assess(question, exact_mapping(question, aim));
    };
    const count::Assessment best = {best_of(count::Aim::local_accesses).local_accesses,
                                    best_of(count::Aim::critical_node).critical_node,
                                    best_of(count::Aim::critical_thread).critical_thread};
    add_distances(question, best, most_local_mapping(question), made.algorithm_2);
    add_distances(question, best, shortest_path_mapping(question), made.algorithm_3);
  }
  return made;
}

}  // namespace xylem::test
