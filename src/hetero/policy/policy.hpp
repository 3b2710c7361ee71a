// Owns: what a policy for codelets is: where a task waits that has become ready (push), what an
// executor runs next (pop), and that it has run it (ended). Paper 002, section 3.3.1. Pure: the
// caller holds the lock round every call, reads the clock, and wakes who is to be woken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "plan/random.hpp"

namespace xylem::hetero {

constexpr int most_executors = 1024;
constexpr int any_executor = -1;

// A task as queues see it.
struct Entry {
  Entry* next = nullptr;  // in the queue that it stands in; by the caller's lock
  Entry* previous = nullptr;
  int priority = 0;
  uint32_t kinds = 1;      // bit k: executors of kind k can run it
  double expected_ns = 0;  // what the policy expected of it where it put it; the policy's
};

// What runs codelets: a processor or a device.
struct Executor {
  int kind = 0;  // 0: a processor
  int node = 0;  // the memory node that it uses
};

inline bool may_run(const Entry& entry, const Executor& executor) {
  return (entry.kinds >> executor.kind & 1) != 0;
}

// What a policy sees.
struct View {
  std::span<const Executor> executors;
  int maker = any_executor;  // of a push: the executor that made the task ready, if one did
  double now_ns = 0;
  plan::Random* random = nullptr;
  // Of a push: what the task takes on executors of each kind, in nanoseconds; 0: not known.
  std::span<const double> run_ns;
  // Of a push: what it takes to bring the task's data to a memory node, in nanoseconds, by node.
  std::span<const double> fetch_ns;
  // The executors, without itself, in the order in which `executor` looks at them: nearest first.
  std::span<const int> (*neighbours)(int executor) = nullptr;

  double run_ns_on(const Executor& executor) const {
    return run_ns[static_cast<size_t>(executor.kind)];
  }
  double fetch_ns_to(const Executor& executor) const {
    return fetch_ns[static_cast<size_t>(executor.node)];
  }
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Where the entry, which some executor may run, waits. The executor that is to be told, or
  // any_executor: any that may run it.
  virtual int push(Entry& entry, const View& view) = 0;
  // What the executor runs next, out of its queue; null: there is nothing for it. A device asks
  // while it runs one, and so does a processor that waits for a task's data.
  virtual Entry* pop(int executor, const View& view) = 0;
  // Of a policy that uses models: the executor has ended, or given up, what it popped, of which
  // Entry::expected_ns was told.
  virtual void ended(int, double, const View&) {}
};

// A policy as users know it.
struct PolicyKind {
  const char* name;
  const char* help;
  std::unique_ptr<Policy> (*make)(int executors);
  bool uses_models = false;  // it asks for View::run_ns, fetch_ns and now_ns
};

std::span<const PolicyKind> policy_kinds();
// Null: there is none of that name.
const PolicyKind* find_policy(std::string_view name);

std::unique_ptr<Policy> make_eager(int executors);
std::unique_ptr<Policy> make_priority(int executors);
std::unique_ptr<Policy> make_steal(int executors);
std::unique_ptr<Policy> make_random(int executors);
std::unique_ptr<Policy> make_earliest(int executors);
std::unique_ptr<Policy> make_data(int executors);

}  // namespace xylem::hetero
