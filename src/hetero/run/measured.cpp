// Owns: keys of models, and times of transfers. See measured.hpp.
#include "hetero/run/measured.hpp"

#include "base/hash.hpp"
#include "hetero/model/history.hpp"
#include "hetero/model/models_file.hpp"
#include "hetero/run/execute.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

namespace {

constinit Models* models = nullptr;  // written once, before the first task, and in a child
constinit const os::PathBuffer* kept_at = nullptr;  // likewise; null: models are not kept

// A codelet is known by its name, or by its record where it has none; the data by its extents.
Subject subject_of(const Task& task, int executor) {
  const xylem_codelet& codelet = *task.codelet;
  Subject subject{.kind = executors()[static_cast<size_t>(executor)].kind, .codelet = codelet.name};
  base::Hash hash;
  if (codelet.name)
    hash.add(codelet.name);
  else
    hash.add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(&codelet)));
  // Devices of one name are of one speed, whatever their numbers are in this process.
  if (subject.kind == 0)
    hash.add(subject.kind);
  else
    hash.add(device_name(subject.kind));
  for (int i = 0; i < task.use_count; ++i) {
    const Piece& piece = task.uses[i].handle->piece;
    const Shape& shape = piece.shape();
    subject.bytes += piece.bytes();
    hash.add(static_cast<int64_t>(shape.element_bytes));
    hash.add(static_cast<int64_t>(shape.extents.x));
    hash.add(static_cast<int64_t>(shape.extents.y));
    hash.add(static_cast<int64_t>(shape.extents.z));
    hash.add(shape.csr.entries);
  }
  subject.key = hash.value();
  return subject;
}

// When the process ends, or the library goes.
[[gnu::destructor]] void keep_models() {
  if (!models || !kept_at) return;
  const std::vector<Model> changed = models->changed();
  if (!changed.empty()) merge_models(kept_at->c_str(), changed);
}

}  // namespace

void start_models(const char* path) {
  models = new Models;
  if (*path == 0) return;
  kept_at = new os::PathBuffer(path);
  for (const Model& model : read_models(path)) models->recall(model);
}

// What the parent keeps is the parent's affair; its lock may be held by a thread that is not here.
void forget_models_in_child() {
  if (models) models = new Models;
}

void record_time(const Task& task, int executor, double ns) {
  models->add(subject_of(task, executor), ns);
}

double expected_time(const Entry& entry, int executor) {
  const auto& task = static_cast<const Task&>(entry);
  return task.codelet ? models->expected(subject_of(task, executor).key) : 0;
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
