// Owns: keys of models, and times of transfers. See measured.hpp.
#include "hetero/run/measured.hpp"

#include <bit>
#include <cstdio>
#include <new>

#include "base/hash.hpp"
#include "hetero/model/models.hpp"
#include "hetero/model/models_file.hpp"
#include "hetero/run/execute.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/team_threads.hpp"
#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

namespace {

constexpr double most_work = 0x1p62;

constinit Models* models = nullptr;  // written once, before the first task, and in a child
constinit const os::PathBuffer* kept_at = nullptr;  // likewise; null: models are not kept

// What programs are shown of the task: extents alone.
std::array<xylem_view, xylem_most_accesses> views_of(const Task& task) {
  std::array<xylem_view, xylem_most_accesses> views;
  for (int i = 0; i < task.use_count; ++i)
    views[static_cast<size_t>(i)] = extents_of(task.uses[i].handle->piece.shape());
  return views;
}

// What the task has to do, by the program; 0: it does not tell.
double work_of(const Task& task) {
  if (!task.codelet->work) return 0;
  const double work = task.codelet->work(views_of(task).data(), task.argument);
  return work >= 1 && work < most_work ? work : 0;
}

// A task's size, as models tell sizes: Subject.
struct Size {
  Unit unit;
  uint64_t rounded;
  double of_size;
};

Size size_of(const Task& task) {
  if (const double work = work_of(task); work > 0) {
    const uint64_t rounded = std::bit_floor(static_cast<uint64_t>(work));
    return {Unit::work, rounded, work / static_cast<double>(rounded)};
  }
  uint64_t bytes = 0;
  for (int i = 0; i < task.use_count; ++i)
    for (const size_t array : array_bytes(task.uses[i].handle->piece.shape())) bytes += array;
  return {Unit::bytes, bytes, 1};
}

// A codelet is known by its name, or by its record where it has none. Devices of one name are of
// one speed, whatever their numbers are in this process.
base::Hash family_of(const xylem_codelet& codelet, int kind, int threads, Unit unit) {
  base::Hash hash;
  if (codelet.name)
    hash.add(codelet.name);
  else
    hash.add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(&codelet)));
  if (kind == 0)
    hash.add(kind);
  else
    hash.add(device_name(kind));
  hash.add(static_cast<int64_t>(unit));
  if (threads > 1) hash.add(threads);
  return hash;
}

// As users know it; a team has models of its own.
Name name_of(const xylem_codelet& codelet, int threads) {
  if (threads == 1 || !codelet.name) return codelet.name;
  std::array<char, 96> text;
  std::snprintf(text.data(), text.size(), "%.40s, %d threads", codelet.name, threads);
  return text.data();
}

void add_extents(const Task& task, base::Hash& hash) {
  for (int i = 0; i < task.use_count; ++i) {
    const Shape& shape = task.uses[i].handle->piece.shape();
    hash.add(static_cast<int64_t>(shape.element_bytes));
    hash.add(static_cast<int64_t>(shape.extents.x));
    hash.add(static_cast<int64_t>(shape.extents.y));
    hash.add(static_cast<int64_t>(shape.extents.z));
    hash.add(shape.csr.entries);
  }
}

Subject subject_of(const Task& task, int kind, const Size& size, int threads = 1) {
  base::Hash hash = family_of(*task.codelet, kind, threads, size.unit);
  Subject subject{{.family = hash.value(),
                   .kind = kind,
                   .unit = size.unit,
                   .size = size.rounded,
                   .codelet = name_of(*task.codelet, threads)},
                  size.of_size};
  if (size.unit == Unit::work)
    hash.add(static_cast<int64_t>(size.rounded));
  else
    add_extents(task, hash);
  subject.about.key = hash.value();
  return subject;
}

// The first executor of the kind, for programs.
int executor_of(int kind) { return kind == 0 ? 0 : processor_count() + kind - 1; }

// By the program; 0: it does not tell.
double told_ns(const Task& task, int kind) {
  if (!task.codelet->nanoseconds) return 0;
  const double ns =
      task.codelet->nanoseconds(views_of(task).data(), task.argument, executor_of(kind));
  return ns > 0 && ns < most_work ? ns : 0;
}

int threads_on(const Task& task, int kind) {
  const int most = kind == 0 ? most_threads_now(*task.codelet) : 1;
  return most > 1 ? best_threads(task, most) : 1;
}

void expect_runs(const Task& task, Expected& expected) {
  const Size size = size_of(task);
  for (int kind = 0; kind <= device_count(); ++kind) {
    if ((task.kinds >> kind & 1) == 0) continue;
    const double told = told_ns(task, kind);
    expected.run_ns[static_cast<size_t>(kind)] =
        told > 0 ? told : models->expected(subject_of(task, kind, size, threads_on(task, kind)));
  }
}

void expect_transfers(Task& task, Expected& expected) {
  const int nodes = memories().count();
  if (nodes == 1) return;
  for (const Use& use : task.all_uses())
    for (int node = 0; node < nodes && brings(use.mode); ++node)
      expected.fetch_ns[static_cast<size_t>(node)] += use.handle->piece.fetch_cost(node);
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
  if (models) new (models) Models;  // in place: see base/fork_table.hpp
}

void record_time(const Task& task, int executor, double ns, int threads) {
  const int kind = executors()[static_cast<size_t>(executor)].kind;
  models->add(subject_of(task, kind, size_of(task), threads), ns);
}

int best_threads(const Task& task, int most) {
  const Size size = size_of(task);
  int best = most;
  double least = 0;
  for (int threads = most; threads > 0; threads /= 2) {
    const double ns = models->expected(subject_of(task, 0, size, threads));
    if (ns <= 0) return threads;
    if (threads < most && ns >= least) continue;
    best = threads;
    least = ns;
  }
  return best;
}

Expected expected_of(Task& task) {
  Expected expected;
  if (task.codelet) expect_runs(task, expected);
  expect_transfers(task, expected);
  return expected;
}

}  // namespace xylem::hetero
