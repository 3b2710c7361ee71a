// Owns: `steal`: a queue for each executor. What an executor makes ready goes into its own queue,
// what the program submits goes round. An executor takes its newest, whose data it has used last,
// and of another's queue the oldest, looking at the nearest first.
#include <vector>

#include "hetero/policy/entry_list.hpp"

namespace xylem::hetero {

namespace {

class Steal final : public Policy {
 public:
  explicit Steal(int executors) : queues_(static_cast<size_t>(executors)) {}

  int push(Entry& entry, const View& view) override {
    size_t to = view.maker >= 0 ? static_cast<size_t>(view.maker) : next();
    while (!may_run(entry, view.executors[to])) to = next();
    queues_[to].push_back(entry);
    return static_cast<int>(to);
  }
  Entry* pop(int executor, const View& view) override {
    const Executor& self = view.executors[static_cast<size_t>(executor)];
    if (Entry* entry = queues_[static_cast<size_t>(executor)].take_last(self)) return entry;
    for (const int other : view.neighbours(executor))
      if (Entry* entry = queues_[static_cast<size_t>(other)].take_first(self)) return entry;
    return nullptr;
  }

 private:
  size_t next() { return turn_++ % queues_.size(); }
  std::vector<EntryList> queues_;
  size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_steal(int executors) { return std::make_unique<Steal>(executors); }

}  // namespace xylem::hetero
