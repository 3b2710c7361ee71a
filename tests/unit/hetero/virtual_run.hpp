// Owns: runs of task graphs on executors drawn by a test, on virtual time: policies decide as they
// do in a program, kernels and copies take what a table says, models say that times an error, or
// what they have learned.
//
// As in the runtime: an executor that is a processor brings a task's data and runs it; a device has
// one task more than the one that it runs, whose data is brought meanwhile; what a task writes is
// valid on its node alone. Tiles are of one size.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <string_view>
#include <vector>

#include "hetero/model/models.hpp"
#include "hetero/policy/policy.hpp"

namespace virtual_run {

namespace hetero = xylem::hetero;

struct Task : hetero::Entry {
  int kernel = 0;
  std::vector<int> tiles;  // the last one is written; the others are read
  int missing = 0;
  std::vector<int> after_it;
};

// Tasks on tiles, in the order of submission, from which their order follows.
class Graph {
 public:
  explicit Graph(int tiles) : uses_(static_cast<size_t>(tiles)) {}
  void add(int kernel, int priority, std::vector<int> tiles);
  const std::vector<Task>& tasks() const { return tasks_; }
  size_t tiles() const { return uses_.size(); }

 private:
  struct Uses {
    int writer = -1;
    std::vector<int> readers;  // since
  };
  void order(int earlier, int later);
  std::vector<Task> tasks_;
  std::vector<Uses> uses_;
};

inline void Graph::order(int earlier, int later) {
  if (earlier < 0 || earlier == later) return;
  tasks_[static_cast<size_t>(earlier)].after_it.push_back(later);
  ++tasks_[static_cast<size_t>(later)].missing;
}

inline void Graph::add(int kernel, int priority, std::vector<int> tiles) {
  const int number = static_cast<int>(tasks_.size());
  Task& task = tasks_.emplace_back();
  task.kernel = kernel;
  task.priority = priority;
  task.kinds = ~0u;
  task.tiles = tiles;
  for (size_t i = 0; i < tiles.size(); ++i) {
    Uses& uses = uses_[static_cast<size_t>(tiles[i])];
    order(uses.writer, number);
    if (i + 1 < tiles.size()) {
      uses.readers.push_back(number);
      continue;
    }
    for (const int reader : uses.readers) order(reader, number);
    uses = {number, {}};
  }
}

// What there is.
struct Machine {
  std::vector<hetero::Executor> executors;    // kind k uses node k
  std::vector<std::array<double, 2>> run_ns;  // by kernel and kind
  double copy_ns = 0;                         // of a tile, between two nodes
};

class Run {
 public:
  // Models are off by up to `error` of what they say, drawn for each task and kind.
  Run(const Graph& graph, const Machine& machine, std::string_view policy, double error, int seed);
  // Instead of the table: what the task is expected to take follows from `models`, which learn as
  // it runs, with data of so many bytes.
  void learn(hetero::Models& models, uint64_t bytes) {
    models_ = &models;
    bytes_ = bytes;
  }
  // Until all tasks have ended; nanoseconds.
  double go();

 private:
  struct State {
    int under_way = 0;
    double data_free = 0;    // when the link has brought what it was asked for
    double kernel_free = 0;  // when the executor has run what it was given
  };
  struct End {
    double at;
    int executor;
    int task;
    bool operator>(const End& other) const {
      return at > other.at || (at == other.at && task > other.task);
    }
  };
  static std::span<const int> others(int executor);

  hetero::View view_at(double now);
  std::array<double, 2> told_ns(const Task& task);
  hetero::Subject subject_of(const Task& task, int kind) const;
  double table_ns(const Task& task, int kind) const {
    return machine_.run_ns[static_cast<size_t>(task.kernel)][static_cast<size_t>(kind)];
  }
  void push(Task& task, double now, int maker);
  void start_all(double now);
  void start(Task& task, int executor, double now);
  double bring(const Task& task, int node);
  const hetero::Executor& executor(int number) const {
    return machine_.executors[static_cast<size_t>(number)];
  }

  static inline Run* current = nullptr;  // asked by the policy, which has no other way

  const Machine& machine_;
  std::vector<Task> tasks_;
  std::vector<uint32_t> valid_;  // by tile: bit k: on node k
  std::vector<State> states_;
  std::vector<std::vector<int>> others_;
  std::unique_ptr<hetero::Policy> policy_;
  xylem::plan::Random random_;
  const double error_;
  hetero::Models* models_ = nullptr;  // null: the table is told
  uint64_t bytes_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

inline Run::Run(const Graph& graph, const Machine& machine, std::string_view policy, double error,
                int seed)
    : machine_(machine),
      tasks_(graph.tasks()),
      valid_(graph.tiles(), 1),
      states_(machine.executors.size()),
      policy_(hetero::find_policy(policy)->make(static_cast<int>(machine.executors.size()))),
      random_(static_cast<uint64_t>(seed)),
      error_(error) {
  const int count = static_cast<int>(machine.executors.size());
  for (int i = 0; i < count; ++i) {
    std::vector<int>& list = others_.emplace_back();
    for (int other = 1; other < count; ++other) list.push_back((i + other) % count);
  }
}

inline std::span<const int> Run::others(int executor) {
  return current->others_[static_cast<size_t>(executor)];
}

inline hetero::View Run::view_at(double now) {
  hetero::View view;
  view.executors = machine_.executors;
  view.now_ns = now;
  view.random = &random_;
  view.neighbours = others;
  return view;
}

inline hetero::Subject Run::subject_of(const Task& task, int kind) const {
  const auto family = static_cast<uint64_t>(2 * task.kernel + kind + 1);
  return {{.key = bytes_ * 1000 + family, .family = family, .kind = kind, .size = bytes_}};
}

// What models say, by kind.
inline std::array<double, 2> Run::told_ns(const Task& task) {
  if (models_)
    return {models_->expected(subject_of(task, 0)), models_->expected(subject_of(task, 1))};
  std::array<double, 2> told = machine_.run_ns[static_cast<size_t>(task.kernel)];
  for (double& ns : told)
    ns *= 1 + error_ * (2 * static_cast<double>(random_.below(1 << 20)) / (1 << 20) - 1);
  return told;
}

inline void Run::push(Task& task, double now, int maker) {
  const std::array<double, 2> told = told_ns(task);
  std::array<double, 2> fetch{};  // by node
  for (const int tile : task.tiles)
    for (size_t node = 0; node < 2; ++node)
      if ((valid_[static_cast<size_t>(tile)] >> node & 1) == 0) fetch[node] += machine_.copy_ns;
  hetero::View view = view_at(now);
  view.maker = maker;
  view.run_ns = told;
  view.fetch_ns = fetch;
  policy_->push(task, view);
}

// What bringing the task's data takes.
inline double Run::bring(const Task& task, int node) {
  double ns = 0;
  for (const int tile : task.tiles) {
    uint32_t& valid = valid_[static_cast<size_t>(tile)];
    if ((valid >> node & 1) == 0) ns += machine_.copy_ns;
    valid |= 1u << node;
  }
  valid_[static_cast<size_t>(task.tiles.back())] = 1u << node;
  return ns;
}

inline void Run::start(Task& task, int number, double now) {
  State& state = states_[static_cast<size_t>(number)];
  const hetero::Executor& on = executor(number);
  state.data_free = std::max(state.data_free, now) + bring(task, on.node);
  state.kernel_free = std::max(state.data_free, state.kernel_free) + table_ns(task, on.kind);
  ++state.under_way;
  ends_.push({state.kernel_free, number, static_cast<int>(&task - tasks_.data())});
}

inline void Run::start_all(double now) {
  for (int number = 0; number < static_cast<int>(states_.size()); ++number) {
    const int most = executor(number).kind == 0 ? 1 : 2;
    while (states_[static_cast<size_t>(number)].under_way < most) {
      hetero::Entry* entry = policy_->pop(number, view_at(now));
      if (!entry) break;
      start(static_cast<Task&>(*entry), number, now);
    }
  }
}

inline double Run::go() {
  current = this;
  double now = 0;
  for (Task& task : tasks_)
    if (task.missing == 0) push(task, now, hetero::any_executor);
  start_all(now);
  while (!ends_.empty()) {
    const End end = ends_.top();
    ends_.pop();
    now = end.at;
    --states_[static_cast<size_t>(end.executor)].under_way;
    const Task& ended = tasks_[static_cast<size_t>(end.task)];
    policy_->ended(end.executor, ended.expected_ns, view_at(now));
    const int kind = executor(end.executor).kind;
    if (models_) models_->add(subject_of(ended, kind), table_ns(ended, kind));
    for (const int later : ended.after_it)
      if (--tasks_[static_cast<size_t>(later)].missing == 0)
        push(tasks_[static_cast<size_t>(later)], now, end.executor);
    start_all(now);
  }
  return now;
}

}  // namespace virtual_run
