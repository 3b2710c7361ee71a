// Owns: `priority`: one queue, sorted by the tasks' priorities; of the same priority in the order
// in which they become ready (paper 002, section 3.3.2).
#include <algorithm>
#include <array>

#include "hetero/policy/entry_list.hpp"

namespace xylem::hetero {

namespace {

// Queues for the common priorities, so that to insert takes no search; others share the two ends.
constexpr int most_near = 8;
constexpr int queue_count = 2 * most_near + 1;

class Priority final : public Policy {
 public:
  int push(Entry& entry, const View&) override {
    queue_of(entry.priority).insert_by_priority(entry);
    return any_executor;
  }
  Entry* pop(int executor, const View& view) override {
    for (size_t i = queues_.size(); i-- > 0;)
      if (Entry* entry = queues_[i].take_first(view.executors[static_cast<size_t>(executor)]))
        return entry;
    return nullptr;
  }

 private:
  EntryList& queue_of(int priority) {
    const int number = std::clamp(priority, -most_near, most_near) + most_near;
    return queues_[static_cast<size_t>(number)];
  }
  std::array<EntryList, queue_count> queues_;
};

}  // namespace

std::unique_ptr<Policy> make_priority(int /*executors*/) { return std::make_unique<Priority>(); }

}  // namespace xylem::hetero
