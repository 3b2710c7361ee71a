// Owns: tasks' lives. See task.hpp.
#include "hetero/tasks/task.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/report.hpp"
#include "sched/sched.hpp"

namespace xylem::hetero {

namespace {

void (*deal)(Task&) = nullptr;

// Written by every thread that submits a task or ends one.
alignas(64) constinit std::atomic<int64_t> not_ended{0};
// 1: somebody sleeps until not_ended is 0. Sequentially consistent with it: who sleeps has set the
// word and seen tasks; who ends the last one sees the word.
constinit std::atomic<uint32_t> somebody_waits{0};
constinit std::atomic<int> first_error{0};  // relaxed: read after all have ended

constexpr size_t up(size_t bytes) { return (bytes + 15) & ~size_t{15}; }

}  // namespace

Task* make_task(int uses, const void* argument, size_t argument_bytes) {
  const size_t head = up(sizeof(Task));
  const size_t middle = up(static_cast<size_t>(uses) * sizeof(Use));
  void* block = std::malloc(head + middle + argument_bytes);
  if (!block) return nullptr;
  auto* task = new (block) Task;
  auto* behind = static_cast<std::byte*>(block) + head;
  task->use_count = uses;
  task->uses = reinterpret_cast<Use*>(behind);
  for (int i = 0; i < uses; ++i) new (&task->uses[i]) Use;
  task->argument_bytes = static_cast<uint32_t>(argument_bytes);
  if (argument_bytes > 0) {
    task->argument = behind + middle;
    std::memcpy(task->argument, argument, argument_bytes);
  } else {
    task->argument = const_cast<void*>(argument);
  }
  return task;
}

// relaxed: the caller's own reference keeps the task
void hold(Task& task) { task.references.fetch_add(1, std::memory_order_relaxed); }

void let_go(Task& task) {
  if (task.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  task.~Task();
  std::free(&task);
}

void order(Task& earlier, Task& later) {
  auto* edge = static_cast<Edge*>(std::malloc(sizeof(Edge)));
  if (!edge) base::fatal("out of memory for a dependence of a codelet");
  {
    base::Locked locked(earlier.lock);
    if (!earlier.closed) {
      // relaxed: the submission's own count holds the task back
      later.missing.fetch_add(1, std::memory_order_relaxed);
      *edge = {&later, earlier.after_it};
      earlier.after_it = edge;
      return;
    }
  }
  std::free(edge);
}

void set_dealer(void (*dealer)(Task&)) { deal = dealer; }

namespace {

// Tasks that became ready and have not been dealt yet: a chain of steps must not be a chain of
// calls.
struct Ready {
  Task* first = nullptr;
  void add(Task& task) {
    task.next_waiting = first;
    first = &task;
  }
  Task* take() {
    Task* task = first;
    if (task) first = task->next_waiting;
    return task;
  }
};

Edge* close(Task& task) {
  base::Locked locked(task.lock);
  task.closed = true;
  Edge* edges = task.after_it;
  task.after_it = nullptr;
  return edges;
}

void record_end() {
  if (not_ended.fetch_sub(1) == 1 && somebody_waits.load() != 0 && somebody_waits.exchange(0) == 1)
    sched::wake_all(&somebody_waits);
}

void count_down(Task& task, Ready& ready) {
  // acq_rel: what those did that ended comes before the task
  if (task.missing.fetch_sub(1, std::memory_order_acq_rel) == 1) ready.add(task);
}

void end(Task& task, Ready& ready) {
  int none = 0;
  if (task.error != 0) first_error.compare_exchange_strong(none, task.error);
  if (task.callback) task.callback(task.callback_argument);
  // release: pairs with the acquire in wait_for_end()
  if (task.ended.exchange(2, std::memory_order_acq_rel) == 1) sched::wake_all(&task.ended);
  Edge* edge = close(task);
  while (edge) {
    count_down(*edge->to, ready);
    Edge* next = edge->next;
    std::free(edge);
    edge = next;
  }
  const bool counted = task.counted;
  let_go(task);
  if (counted) record_end();
}

void go_on(Ready& ready) {
  while (Task* task = ready.take()) {
    task->next_waiting = nullptr;
    if (!task->step_at_once) {
      deal(*task);
      continue;
    }
    const int result = task->step ? task->step(*task) : 0;
    if (result == EINPROGRESS) continue;  // whoever the step told ends the task, or has
    task->error = result;
    end(*task, ready);
  }
}

}  // namespace

void one_less(Task& task) {
  Ready ready;
  count_down(task, ready);
  go_on(ready);
}

void end(Task& task) {
  Ready ready;
  end(task, ready);
  go_on(ready);
}

void wait_for_end(Task& task) {
  for (;;) {
    uint32_t seen = 0;
    // acquire: pairs with the release at its end
    if (!task.ended.compare_exchange_strong(seen, 1, std::memory_order_acq_rel) && seen == 2)
      return;
    sched::wait_on(&task.ended, 1);
  }
}

// relaxed: the thread that waits for the task comes after its submission by other means
void count(Task& task) {
  if (task.counted) not_ended.fetch_add(1, std::memory_order_relaxed);
}

void wait_for_all() {
  while (not_ended.load() != 0) {
    somebody_waits.store(1);
    if (not_ended.load() == 0) return;
    sched::wait_on(&somebody_waits, 1);
  }
}

int take_first_error() { return first_error.exchange(0, std::memory_order_relaxed); }

void forget_tasks_in_child() {
  not_ended.store(0);
  somebody_waits.store(0);
}

}  // namespace xylem::hetero
