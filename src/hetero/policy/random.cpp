// Owns: `random` (the paper's weighted random, section 3.4.5): each task goes to an executor that
// is drawn with a probability proportional to its speed, and stays there.
#include <vector>

#include "hetero/policy/entry_list.hpp"

namespace xylem::hetero {

namespace {

class Random final : public Policy {
 public:
  explicit Random(int executors) : queues_(static_cast<size_t>(executors)) {}

  int push(Entry& entry, const View& view) override {
    double sum = 0;
    for (const Executor& executor : view.executors)
      if (may_run(entry, executor)) sum += executor.speed;
    constexpr double draws = 1 << 30;
    double drawn = sum * view.random->below(1 << 30) / draws;
    int to = any_executor;
    for (int i = 0; i < static_cast<int>(view.executors.size()); ++i) {
      const Executor& executor = view.executors[static_cast<size_t>(i)];
      if (!may_run(entry, executor)) continue;
      to = i;
      drawn -= executor.speed;
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
  std::vector<EntryList> queues_;
};

}  // namespace

std::unique_ptr<Policy> make_random(int executors) { return std::make_unique<Random>(executors); }

}  // namespace xylem::hetero
