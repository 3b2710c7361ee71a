// Owns: `eager` (the paper's greedy): one queue, in the order in which tasks become ready.
#include "hetero/policy/entry_list.hpp"

namespace xylem::hetero {

namespace {

class Eager final : public Policy {
 public:
  int push(Entry& entry, const View&) override {
    queue_.push_back(entry);
    return any_executor;
  }
  Entry* pop(int executor, const View& view) override {
    return queue_.take_first(view.executors[static_cast<size_t>(executor)]);
  }

 private:
  EntryList queue_;
};

}  // namespace

std::unique_ptr<Policy> make_eager(int /*executors*/) { return std::make_unique<Eager>(); }

}  // namespace xylem::hetero
