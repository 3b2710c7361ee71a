// Owns: where threads go by what they access: algorithms 1, 2 and 3 of paper 003, section 3, on a
// thread-node table. Pure functions.
//
// Invariant: a mapping names a node for each thread, and no node gets more threads than its room.
// Where the paper says "the element with the maximum value" and several have it, the one of the
// first thread is meant, and of that thread's the one of the first node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "count/table/counts.hpp"
#include "plan/costs.hpp"

namespace xylem::count {

// Requests of each thread to each node's memory (the paper's TNT).
struct ThreadNodeTable {
  int threads = 0;
  int nodes = 0;
  std::vector<uint64_t> requests;  // by [thread * nodes + node]; each at most most_accesses

  uint64_t at(int thread, int node) const {
    return requests[static_cast<std::size_t>(thread) * static_cast<std::size_t>(nodes) +
                    static_cast<std::size_t>(node)];
  }
};

// Rows 0 to threads - 1 of `counts`, whose rows are threads; reads and writes count alike.
ThreadNodeTable thread_node_table(const Counts& counts, int threads);

// How many times as long as a local request one from node `from` to node `to` takes: the paper's
// NUMA factor, which it has as one number for all pairs.
class NumaFactors {
 public:
  static constexpr double of_paper = 1.5;

  // One factor, at least 1, for all pairs of different nodes.
  NumaFactors(int nodes, double factor);
  // By measured latencies of reading; a pair that is no slower than local memory has factor 1.
  explicit NumaFactors(const plan::Costs& costs);

  int nodes() const { return nodes_; }
  double at(int from, int to) const {
    return factors_[static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_) +
                    static_cast<std::size_t>(to)];
  }
  // The one factor of all pairs, or 0 where they differ.
  double of_all() const { return of_all_; }

 private:
  int nodes_;
  double of_all_;
  std::vector<double> factors_;  // by [from * nodes + to]; 1 from a node to itself
};

// The node of each thread.
using Mapping = std::vector<int>;

struct ThreadQuestion {
  const ThreadNodeTable& table;
  std::span<const int> room;  // by node: how many threads it takes; together at least all threads
  const NumaFactors& factors;
};

// The impact factor IF of a thread on a node (equation 4): its local requests plus its remote ones,
// each multiplied by the factor between the nodes.
double impact(const ThreadQuestion& question, int thread, int node);
double remote_requests(const ThreadNodeTable& table, int thread, int node);

// What a mapping comes to.
struct Assessment {
  double local_accesses = 0;   // LMA; to be large
  double critical_node = 0;    // the largest sum of impacts on a node (CPImpact); to be small
  double critical_thread = 0;  // the largest impact of a thread; to be small
};
Assessment assess(const ThreadQuestion& question, const Mapping& mapping);

// --- algorithm 1
// ----------------------------------------------------------------------------------

// What exact_mapping() makes best; algorithm 1 is `local_accesses`, the others are what algorithm 3
// is compared with.
enum class Aim : uint8_t { local_accesses, critical_node, critical_thread };

// How many mappings there are; stops at UINT64_MAX.
uint64_t mapping_count(int threads, std::span<const int> room);
// Goes through all mappings but those that cannot be better than the best so far. Of equals the
// first. Empty if that is not done after placing threads `most_steps` times.
Mapping exact_mapping(const ThreadQuestion& question, Aim aim, uint64_t most_steps = UINT64_MAX);

// --- algorithms 2 and 3
// ---------------------------------------------------------------------------

struct Candidate {
  int thread = 0;
  int node = 0;
  uint64_t requests = 0;
  double before = 0;  // algorithm 2: LC of the node; algorithm 3: its CPImpact
  double impact = 0;  // IF; algorithm 2: 0, as it does not know it
};
// One turn of the loop of algorithm 2 or 3: the element with the maximum value first, then those of
// other nodes that are good enough (equation 2), from the one with most requests on.
struct SelectionStep {
  std::vector<Candidate> candidates;
  std::size_t chosen = 0;
};
using SelectionSteps = std::vector<SelectionStep>;

// O(threads * nodes * log(threads)). `steps`, if not null, gets all turns.
Mapping most_local_mapping(const ThreadQuestion& question, SelectionSteps* steps = nullptr);
Mapping shortest_path_mapping(const ThreadQuestion& question, SelectionSteps* steps = nullptr);

}  // namespace xylem::count
