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
      const double takes = view.run_ns_on(executor) + (by_data_ ? view.fetch_ns_to(executor) : 0);
      const Queue& queue = queues_[static_cast<size_t>(i)];
      const std::tuple end(queue.free_at(view.now_ns) + takes, queue.entries.count());
      if (to != any_executor && end >= best) continue;
      to = i;
      best = end;
      best_takes = takes;
    }
    Queue& queue = queues_[static_cast<size_t>(to)];
    queue.waiting_ns += best_takes;
    entry.expected_ns = best_takes;
    if (by_data_)
      queue.entries.insert_by_priority(entry);
    else
      queue.entries.push_back(entry);
    return to;
  }

  Entry* pop(int number, const View& view) override {
    Queue& queue = queues_[static_cast<size_t>(number)];
    const Executor& executor = view.executors[static_cast<size_t>(number)];
    Entry* entry = queue.entries.take_first(executor);
    if (!entry) return nullptr;
    queue.waiting_ns = queue.entries.empty() ? 0 : queue.waiting_ns - entry->expected_ns;
    queue.begin(entry->expected_ns, executor.takes_ahead, view.now_ns);
    return entry;
  }

 private:
  struct Queue {
    EntryList entries;
    double waiting_ns = 0;  // what they are expected to take
    double busy_until = 0;  // when what was taken from here is expected to have ended
    double last_ns = 0;     // what the last of that is expected to take

    double free_at(double now) const { return std::max(busy_until, now) + waiting_ns; }
    // The executor runs another now. That has ended which it was given before, or, with an executor
    // that takes one ahead, is the only one that it still runs.
    void begin(double takes, bool ahead, double now) {
      busy_until = (ahead ? std::clamp(busy_until, now, now + last_ns) : now) + takes;
      last_ns = takes;
    }
  };

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
