// Owns: the table, the factors and algorithms 2 and 3. See threads.hpp.
#include "count/engine/threads.hpp"

#include <algorithm>

namespace xylem::count {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

// The elements of one node that are still in the paper's sorted list, largest first.
class Column {
 public:
  Column(const ThreadNodeTable& table, int node) {
    elements_.reserve(index_of(table.threads));
    for (int thread = 0; thread < table.threads; ++thread)
      elements_.push_back({table.at(thread, node), thread});
    std::sort(elements_.begin(), elements_.end(), [](const Element& a, const Element& b) {
      return a.requests != b.requests ? a.requests > b.requests : a.thread < b.thread;
    });
  }

  // Passes over threads that have a node. True if the first element is another one than before, or
  // if this is the first call.
  bool skip_placed(const std::vector<bool>& placed) {
    const std::size_t before = first_;
    while (first_ < elements_.size() && placed[index_of(elements_[first_].thread)]) ++first_;
    const bool is_new = first_ != before || !is_looked_at_;
    is_looked_at_ = true;
    return is_new;
  }
  bool is_empty() const { return first_ == elements_.size(); }
  uint64_t requests() const { return elements_[first_].requests; }
  int thread() const { return elements_[first_].thread; }

 private:
  struct Element {
    uint64_t requests;
    int thread;
  };
  std::vector<Element> elements_;
  std::size_t first_ = 0;
  bool is_looked_at_ = false;
};

bool comes_before(const Candidate& a, const Candidate& b) {
  if (a.requests != b.requests) return a.requests > b.requests;
  return a.thread != b.thread ? a.thread < b.thread : a.node < b.node;
}

// The loop that algorithms 2 and 3 share. Invariant: sum_[n] is what the chosen elements of node n
// added: their requests (LC) or their impacts (CPImpact).
class Selection {
 public:
  Selection(const ThreadQuestion& question, bool by_impact)
      : question_(question),
        by_impact_(by_impact),
        room_(question.room.begin(), question.room.end()),
        sum_(index_of(question.table.nodes)),
        impacts_(index_of(question.table.nodes)),
        placed_(index_of(question.table.threads)) {
    for (int node = 0; node < question.table.nodes; ++node)
      columns_.emplace_back(question.table, node);
  }

  Mapping run(SelectionSteps* steps) {
    Mapping mapping(index_of(question_.table.threads), -1);
    for (int turn = 0; turn < question_.table.threads; ++turn) {
      find_candidates();
      const Candidate taken = best_candidate();
      mapping[index_of(taken.thread)] = taken.node;
      placed_[index_of(taken.thread)] = true;
      --room_[index_of(taken.node)];
      sum_[index_of(taken.node)] += by_impact_ ? taken.impact : static_cast<double>(taken.requests);
      if (steps != nullptr) steps->push_back(step_of(taken));
    }
    return mapping;
  }

 private:
  // The largest element of each node that has room, but those that equation 2 forbids.
  void find_candidates() {
    candidates_.clear();
    for (int node = 0; node < question_.table.nodes; ++node) {
      if (room_[index_of(node)] <= 0) continue;
      Column& column = columns_[index_of(node)];
      const bool is_new = column.skip_placed(placed_);
      if (column.is_empty()) continue;
      if (is_new && by_impact_) impacts_[index_of(node)] = impact(question_, column.thread(), node);
      candidates_.push_back({column.thread(), node, column.requests(), sum_[index_of(node)],
                             impacts_[index_of(node)]});
    }
    const Candidate most = *std::min_element(candidates_.begin(), candidates_.end(), comes_before);
    std::erase_if(candidates_, [&](const Candidate& other) { return !is_enough(other, most); });
  }

  // Equation 2: T >= MAX VALUE / NUMA factor.
  bool is_enough(const Candidate& other, const Candidate& most) const {
    return static_cast<double>(other.requests) * question_.factors.at(other.node, most.node) >=
           static_cast<double>(most.requests);
  }

  // The least local contention (algorithm 2) or IF + CPImpact (algorithm 3); of equals the first.
  const Candidate& best_candidate() const {
    const auto is_better = [](const Candidate& a, const Candidate& b) {
      return weight(a) != weight(b) ? weight(a) < weight(b) : comes_before(a, b);
    };
    return *std::min_element(candidates_.begin(), candidates_.end(), is_better);
  }
  static double weight(const Candidate& candidate) { return candidate.before + candidate.impact; }

  SelectionStep step_of(const Candidate& taken) const {
    SelectionStep step{candidates_, 0};
    std::sort(step.candidates.begin(), step.candidates.end(), comes_before);
    while (step.candidates[step.chosen].node != taken.node) ++step.chosen;
    return step;
  }

  const ThreadQuestion& question_;
  bool by_impact_;
  std::vector<int> room_;
  std::vector<double> sum_;
  std::vector<double> impacts_;  // by node: of its column's first element; 0 for algorithm 2
  std::vector<bool> placed_;
  std::vector<Column> columns_;
  std::vector<Candidate> candidates_;
};

}  // namespace

ThreadNodeTable thread_node_table(const Counts& counts, int threads) {
  ThreadNodeTable table{threads, counts.nodes(), {}};
  table.requests.resize(index_of(threads) * index_of(table.nodes));
  for (const Cell& cell : counts.sorted())
    if (cell.row < static_cast<uint64_t>(threads))
      table.requests[static_cast<std::size_t>(cell.row) * index_of(table.nodes) +
                     index_of(cell.node)] = std::min(cell.accesses(), most_accesses);
  return table;
}

NumaFactors::NumaFactors(int nodes, double factor)
    : nodes_(nodes), of_all_(factor), factors_(index_of(nodes) * index_of(nodes), factor) {
  for (int node = 0; node < nodes; ++node)
    factors_[index_of(node) * index_of(nodes) + index_of(node)] = 1;
}

NumaFactors::NumaFactors(const plan::Costs& costs) : NumaFactors(costs.nodes, 1) {
  for (int from = 0; from < nodes_; ++from) {
    const double local = costs.read_latency_ns[costs.at(from, from)];
    for (int to = 0; to < nodes_; ++to)
      if (to != from)
        factors_[costs.at(from, to)] =
            std::max(1.0, costs.read_latency_ns[costs.at(from, to)] / local);
  }
  of_all_ = nodes_ > 1 ? at(0, 1) : 1;
  for (int from = 0; from < nodes_; ++from)
    for (int to = 0; to < nodes_; ++to)
      if (to != from && at(from, to) != of_all_) of_all_ = 0;
}

double remote_requests(const ThreadNodeTable& table, int thread, int node) {
  double sum = 0;
  for (int other = 0; other < table.nodes; ++other)
    if (other != node) sum += static_cast<double>(table.at(thread, other));
  return sum;
}

double impact(const ThreadQuestion& question, int thread, int node) {
  const auto local = static_cast<double>(question.table.at(thread, node));
  if (question.factors.of_all() > 0)
    return local + question.factors.of_all() * remote_requests(question.table, thread, node);
  double sum = 0;
  for (int other = 0; other < question.table.nodes; ++other)
    sum += question.factors.at(node, other) * static_cast<double>(question.table.at(thread, other));
  return sum;
}

Assessment assess(const ThreadQuestion& question, const Mapping& mapping) {
  Assessment made;
  std::vector<double> by_node(index_of(question.table.nodes));
  for (int thread = 0; thread < question.table.threads; ++thread) {
    const int node = mapping[index_of(thread)];
    const double of_thread = impact(question, thread, node);
    made.local_accesses += static_cast<double>(question.table.at(thread, node));
    made.critical_thread = std::max(made.critical_thread, of_thread);
    by_node[index_of(node)] += of_thread;
  }
  for (const double sum : by_node) made.critical_node = std::max(made.critical_node, sum);
  return made;
}

Mapping most_local_mapping(const ThreadQuestion& question, SelectionSteps* steps) {
  return Selection(question, false).run(steps);
}

Mapping shortest_path_mapping(const ThreadQuestion& question, SelectionSteps* steps) {
  return Selection(question, true).run(steps);
}

}  // namespace xylem::count
