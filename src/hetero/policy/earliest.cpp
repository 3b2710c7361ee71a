// Owns: `earliest` (the paper's Earliest Task First, section 3.4.5): each task goes to the executor
// that is expected to end it first; and `data`, which also counts what it takes to bring the task's
// data there, and sorts each executor's queue by priority.
//
// A task of which a model knows nothing on an executor counts as free there, and then the number of
// tasks decides: so each executor gets some, and models learn.
#include <algorithm>
#include <tuple>
#include <vector>

#include "hetero/policy/entry_list.hpp"

namespace xylem::hetero {

namespace {

class Earliest final : public Policy {
 public:
  Earliest(int executors, bool by_data)
      : queues_(static_cast<size_t>(executors)), by_data_(by_data) {}

  int push(Entry& entry, const View& view) override {
    int to = any_executor;
    std::tuple<double, int> best;
    double best_takes = 0;
    for (int i = 0; i < static_cast<int>(queues_.size()); ++i) {
      const Executor& executor = view.executors[static_cast<size_t>(i)];
      if (!may_run(entry, executor)) continue;
      const double takes = time_on(entry, i, view);
      const Queue& queue = queues_[static_cast<size_t>(i)];
      const std::tuple end(std::max(queue.free_at, view.now_ns) + takes, queue.entries.count());
      if (to != any_executor && end >= best) continue;
      to = i;
      best = end;
      best_takes = takes;
    }
    Queue& queue = queues_[static_cast<size_t>(to)];
    queue.free_at = std::max(queue.free_at, view.now_ns) + best_takes;
    entry.expected_ns = best_takes;
    if (by_data_)
      queue.entries.insert_by_priority(entry);
    else
      queue.entries.push_back(entry);
    return to;
  }

  // What runs late or early moves the queue's end only once the queue is empty.
  Entry* pop(int executor, const View& view) override {
    Queue& queue = queues_[static_cast<size_t>(executor)];
    Entry* entry = queue.entries.take_first(view.executors[static_cast<size_t>(executor)]);
    if (entry && queue.entries.empty()) queue.free_at = view.now_ns + entry->expected_ns;
    return entry;
  }

 private:
  struct Queue {
    EntryList entries;
    double free_at = 0;  // when what was given to the executor is expected to have ended
  };

  double time_on(const Entry& entry, int executor, const View& view) const {
    const double fetch =
        by_data_
            ? view.fetch_ns[static_cast<size_t>(view.executors[static_cast<size_t>(executor)].node)]
            : 0;
    return view.run_ns(entry, executor) + fetch;
  }

  std::vector<Queue> queues_;
  bool by_data_;
};

}  // namespace

std::unique_ptr<Policy> make_earliest(int executors) {
  return std::make_unique<Earliest>(executors, false);
}
std::unique_ptr<Policy> make_data(int executors) {
  return std::make_unique<Earliest>(executors, true);
}

}  // namespace xylem::hetero
