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
    Entry* entry = queue.entries.take_first(view.executors[static_cast<size_t>(number)]);
    if (!entry) return nullptr;
    queue.waiting_ns = queue.entries.empty() ? 0 : queue.waiting_ns - entry->expected_ns;
    queue.begin(entry->expected_ns, view.now_ns);
    return entry;
  }

  void ended(int number, double expected_ns, const View& view) override {
    queues_[static_cast<size_t>(number)].end(expected_ns, view.now_ns);
  }

 private:
  struct Queue {
    EntryList entries;
    double waiting_ns = 0;    // what they are expected to take
    int under_way = 0;        // that were taken from here and have not ended
    double under_way_ns = 0;  // what those are expected to take
    double busy_until = 0;    // when those are expected to have ended

    double free_at(double now) const { return std::max(busy_until, now) + waiting_ns; }
    void begin(double takes, double now) {
      busy_until = std::max(busy_until, now) + takes;
      ++under_way;
      under_way_ns += takes;
    }
    // The others that are under way go on now, as if they had waited for this one.
    void end(double took, double now) {
      under_way_ns = --under_way == 0 ? 0 : under_way_ns - took;
      busy_until = now + under_way_ns;
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
