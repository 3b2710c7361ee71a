// Owns: generations of tasks. See data_order.hpp.
#include "hetero/tasks/data_order.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/report.hpp"

namespace xylem::hetero {

namespace {

constinit base::SpinLock order_lock{{41, "order_lock"}};
int (*combining)(Task&) = nullptr;

// Tasks of the runtime's own that were made on the way; they go when the lock is free.
struct Helpers {
  std::vector<Task*> tasks;

  Task& make(int (*step)(Task&), Handle* handle) {
    Task* task = make_task(handle ? 1 : 0, nullptr, 0);
    if (!task) base::fatal("out of memory for a codelet");
    task->step = step;
    task->step_at_once = step == nullptr;
    if (handle) task->uses[0] = {handle, xylem_read_write};
    count(*task);
    tasks.push_back(task);
    return *task;
  }
};

void add(Generation& generation, Task& task) {
  if (generation.tasks.size() >= generation.prune_at) {
    std::erase_if(generation.tasks, [](Task* old) {
      if (old->ended.load(std::memory_order_acquire) != 2) return false;
      let_go(*old);
      return true;
    });
    generation.prune_at = std::max<size_t>(64, 2 * generation.tasks.size());
  }
  hold(task);
  generation.tasks.push_back(&task);
}

void replace(Generation& generation, Task& by) {
  for (Task* task : generation.tasks) {
    order(*task, by);
    let_go(*task);
  }
  generation.tasks.clear();
  add(generation, by);
}

// The current generation is complete. One that reduced ends with the task that combines; where the
// next one shares, a task that joins stands for a larger one, so that there are not as many edges
// as the product of both.
void begin_generation(Handle& handle, xylem_mode mode, Helpers& helpers) {
  for (Task* task : handle.before.tasks) let_go(*task);
  handle.before.tasks.clear();
  std::swap(handle.before, handle.current);
  if (handle.before.mode == xylem_reduce && !handle.before.tasks.empty())
    replace(handle.before, helpers.make(combining, &handle));
  else if (shares(mode) && handle.before.tasks.size() > 1)
    replace(handle.before, helpers.make(nullptr, nullptr));
  handle.current.mode = mode;
}

void enter_use(Task& task, const Use& use, Helpers& helpers) {
  Handle& handle = *use.handle;
  if (use.mode == xylem_scratch) return add(handle.scratch, task);
  if (handle.ends)
    for (Task* earlier : handle.scratch.tasks) order(*earlier, task);
  Generation& current = handle.current;
  if (!shares(use.mode) || current.mode != use.mode || current.tasks.empty())
    begin_generation(handle, use.mode, helpers);
  for (Task* earlier : handle.before.tasks) order(*earlier, task);
  add(current, task);
}

int decide_plain(Task& task, void*) {
  for (const Use& use : task.all_uses())
    if (!use.handle->is_open()) return EBUSY;
  return 0;
}

}  // namespace

int enter_if(Task& task, int (*decide)(Task&, void*), void* argument) {
  Helpers helpers;
  {
    base::Locked locked(order_lock);
    if (const int refused = decide(task, argument)) return refused;
    for (const Use& use : task.all_uses()) enter_use(task, use, helpers);
  }
  count(task);
  for (Task* helper : helpers.tasks) one_less(*helper);
  one_less(task);
  return 0;
}

int enter(Task& task) { return enter_if(task, decide_plain, nullptr); }

void set_combining(int (*combine)(Task&)) { combining = combine; }

}  // namespace xylem::hetero
