// Owns: keys of models, and times of transfers. See measured.hpp.
#include "hetero/run/measured.hpp"

#include "base/hash.hpp"
#include "hetero/model/history.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

namespace {

constinit Models models;

// A codelet is known by its record, the data by its extents.
uint64_t key_of(const Task& task, int executor) {
  base::Hash hash;
  hash.add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(task.codelet)));
  hash.add(executors()[static_cast<size_t>(executor)].kind);
  for (int i = 0; i < task.use_count; ++i) {
    const Shape& shape = task.uses[i].handle->piece.shape();
    hash.add(static_cast<int64_t>(shape.element_bytes));
    hash.add(static_cast<int64_t>(shape.extents.x));
    hash.add(static_cast<int64_t>(shape.extents.y));
    hash.add(static_cast<int64_t>(shape.extents.z));
    hash.add(shape.csr.entries);
  }
  return hash.value();
}

bool brings(xylem_mode mode) {
  return mode == xylem_read || mode == xylem_read_write || mode == xylem_commute;
}

}  // namespace

void record_time(const Task& task, int executor, double ns) {
  models.add(key_of(task, executor), ns);
}

double expected_time(const Entry& entry, int executor) {
  const auto& task = static_cast<const Task&>(entry);
  return task.codelet ? models.expected(key_of(task, executor)) : 0;
}

std::array<double, most_nodes> fetch_times(Task& task) {
  std::array<double, most_nodes> times{};
  const int nodes = memories().count();
  if (nodes == 1) return times;
  for (const Use& use : task.all_uses())
    for (int node = 0; node < nodes && brings(use.mode); ++node)
      times[static_cast<size_t>(node)] += use.handle->piece.fetch_cost(node);
  return times;
}

}  // namespace xylem::hetero
