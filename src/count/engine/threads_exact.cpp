// Owns: algorithm 1, the search through all mappings. See threads.hpp.
#include <algorithm>
#include <numeric>

#include "count/engine/threads.hpp"

namespace xylem::count {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

// Depth first, a thread a depth. Invariant: cost_so_far is the aim, made something to be small, of
// the threads that have a node.
class Search {
 public:
  Search(const ThreadQuestion& question, Aim aim, uint64_t most_steps)
      : question_(question),
        aim_(aim),
        steps_left_(most_steps),
        room_(question.room.begin(), question.room.end()),
        by_node_(index_of(question.table.nodes)),
        mapping_(index_of(question.table.threads), -1),
        least_after_(index_of(question.table.threads) + 1) {
    for (int thread = question.table.threads - 1; thread >= 0; --thread) {
      const double after = least_after_[index_of(thread) + 1];
      const double least = least_cost(thread);
      least_after_[index_of(thread)] =
          aim == Aim::local_accesses ? after + least : std::max(after, least);
    }
  }

  Mapping run() {
    place(0, 0);
    return gave_up_ ? Mapping() : best_;
  }

 private:
  double own_cost(int thread, int node) const {
    if (aim_ == Aim::local_accesses) return -static_cast<double>(question_.table.at(thread, node));
    return impact(question_, thread, node);
  }
  double least_cost(int thread) const {
    double least = own_cost(thread, 0);
    for (int node = 1; node < question_.table.nodes; ++node)
      least = std::min(least, own_cost(thread, node));
    return least;
  }
  double with(double so_far, int thread, int node) const {
    const double own = own_cost(thread, node);
    if (aim_ == Aim::local_accesses) return so_far + own;
    if (aim_ == Aim::critical_thread) return std::max(so_far, own);
    return std::max(so_far, by_node_[index_of(node)] + own);
  }
  // The least that a mapping can come to whose first threads come to `so_far`.
  double bound(double so_far, int threads) const {
    const double rest = least_after_[index_of(threads)];
    return aim_ == Aim::local_accesses ? so_far + rest : std::max(so_far, rest);
  }

  void place(int thread, double so_far) {
    if (thread == question_.table.threads) {
      best_ = mapping_;
      best_cost_ = so_far;
      return;
    }
    for (int node = 0; node < question_.table.nodes && !gave_up_; ++node) {
      if (room_[index_of(node)] <= 0) continue;
      const double cost = with(so_far, thread, node);
      if (!best_.empty() && bound(cost, thread + 1) >= best_cost_) continue;
      if (steps_left_-- == 0) {
        gave_up_ = true;
        return;
      }
      const double own = own_cost(thread, node);
      --room_[index_of(node)];
      by_node_[index_of(node)] += own;
      mapping_[index_of(thread)] = node;
      place(thread + 1, cost);
      by_node_[index_of(node)] -= own;
      ++room_[index_of(node)];
    }
  }

  const ThreadQuestion& question_;
  Aim aim_;
  uint64_t steps_left_;
  std::vector<int> room_;
  std::vector<double> by_node_;
  Mapping mapping_, best_;
  double best_cost_ = 0;
  std::vector<double> least_after_;  // of threads [i, all)
  bool gave_up_ = false;
};

// a * b, or UINT64_MAX if that is larger.
uint64_t product(uint64_t a, uint64_t b) {
  return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

uint64_t sum(uint64_t a, uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

// The rows 0 to n of Pascal's triangle, one behind the other.
std::vector<uint64_t> pascal(int n) {
  std::vector<uint64_t> made;
  std::size_t before = 0;
  for (int row = 0; row <= n; ++row) {
    const std::size_t begin = made.size();
    for (int k = 0; k <= row; ++k)
      made.push_back(
          k == 0 || k == row ? 1 : sum(made[before + index_of(k) - 1], made[before + index_of(k)]));
    before = begin;
  }
  return made;
}

}  // namespace

uint64_t mapping_count(int threads, std::span<const int> room) {
  const std::vector<uint64_t> choose = pascal(threads);
  const auto binomial = [&](int n, int k) {
    return choose[index_of(n) * (index_of(n) + 1) / 2 + index_of(k)];
  };
  std::vector<uint64_t> ways(index_of(threads) + 1);  // by how many threads the nodes so far have
  ways[0] = 1;
  for (const int places : room)
    for (int all = threads; all >= 0; --all) {
      uint64_t sum_of_ways = 0;
      for (int here = 0; here <= std::min(places, all); ++here)
        sum_of_ways = sum(sum_of_ways, product(ways[index_of(all - here)], binomial(all, here)));
      ways[index_of(all)] = sum_of_ways;
    }
  return ways[index_of(threads)];
}

Mapping exact_mapping(const ThreadQuestion& question, Aim aim, uint64_t most_steps) {
  return Search(question, aim, most_steps).run();
}

}  // namespace xylem::count
