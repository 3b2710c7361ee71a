// Owns: `random` (the paper's weighted random, section 3.4.5): each task goes to an executor that
// is drawn with a probability proportional to its speed with that task, by model, and stays there.
// Where a model is missing all are drawn alike, and models learn.
#include <numeric>
#include <vector>

#include "hetero/policy/entry_list.hpp"

namespace xylem::hetero {

namespace {

class Random final : public Policy {
 public:
  explicit Random(int executors)
      : queues_(static_cast<size_t>(executors)), weights_(queues_.size()) {}

  int push(Entry& entry, const View& view) override {
    weigh(entry, view);
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    constexpr double draws = 1 << 30;
    double drawn = sum * view.random->below(1 << 30) / draws;
    int to = any_executor;
    for (int i = 0; i < static_cast<int>(weights_.size()); ++i) {
      const double weight = weights_[static_cast<size_t>(i)];
      if (weight == 0) continue;
      to = i;
      drawn -= weight;
      if (drawn < 0) break;
    }
    queues_[static_cast<size_t>(to)].push_back(entry);
    return to;
  }
  Entry* pop(int executor, const View& view) override {
    const auto index = static_cast<size_t>(executor);
    return queues_[index].take_first(view.executors[index]);
  }

 private:
  // Of those that cannot run the task: 0.
  void weigh(const Entry& entry, const View& view) {
    bool known = true;
    for (size_t i = 0; i < weights_.size(); ++i) {
      const bool may = may_run(entry, view.executors[i]);
      const double ns = may ? view.run_ns_on(view.executors[i]) : 0;
      known &= !may || ns > 0;
      weights_[i] = ns > 0 ? 1 / ns : 0;
    }
    for (size_t i = 0; i < weights_.size() && !known; ++i)
      weights_[i] = may_run(entry, view.executors[i]) ? 1 : 0;
  }

  std::vector<EntryList> queues_;
  std::vector<double> weights_;  // by executor, of the task that is pushed
};

}  // namespace

std::unique_ptr<Policy> make_random(int executors) { return std::make_unique<Random>(executors); }

}  // namespace xylem::hetero
