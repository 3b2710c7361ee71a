// Owns: submission of tasks, and the ends of data. See codelets.hpp.
#include "hetero/run/codelets.hpp"

#include <algorithm>
#include <cerrno>

#include "hetero/run/crew.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/team_threads.hpp"
#include "hetero/tasks/acquire.hpp"
#include "hetero/tasks/data_order.hpp"

namespace xylem::hetero {

namespace {

bool is_mode(xylem_mode mode) { return mode >= xylem_read && mode <= xylem_reduce; }

// Fills the task's uses in. 0, or EINVAL.
int fill_uses(Task& task, const xylem_codelet& codelet, const xylem_task_options& options) {
  for (int i = 0; i < codelet.accesses; ++i) {
    auto* handle = reinterpret_cast<Handle*>(options.data[i]);
    const xylem_mode mode = codelet.modes[i];
    if (!handle || !is_mode(mode)) return EINVAL;
    if (mode == xylem_reduce && !handle->reduction.begin) return EINVAL;
    for (int before = 0; before < i; ++before)
      if (task.uses[before].handle == handle) return EINVAL;
    task.uses[i] = {handle, mode};
    task.commutes |= mode == xylem_commute;
  }
  return 0;
}

int check(const xylem_codelet& codelet, const xylem_task_options& options) {
  const bool right = (codelet.cpu || has_device_variant(codelet)) && codelet.accesses >= 0 &&
                     codelet.accesses <= xylem_most_accesses &&
                     (codelet.accesses == 0 || options.data);
  return right ? 0 : EINVAL;
}

// Which executors may run the task. 0, ENODEV or ENOSPC: none.
int fill_kinds(Task& task, const xylem_codelet& codelet) {
  if (!has_device_variant(codelet)) return 0;  // processors, as every task's
  size_t bytes = 0;
  size_t largest = 0;
  for (const Use& use : task.all_uses()) {
    bytes += use.handle->piece.bytes();
    largest = std::max(largest, use.handle->piece.bytes());
  }
  const FitKinds fit = fit_kinds(codelet, bytes, largest);
  task.kinds = fit.kinds;
  if (task.kinds != 0) return 0;
  return fit.any_size != 0 ? ENOSPC : ENODEV;
}

int enter_submitted(Task& task, const xylem_codelet& codelet, const xylem_task_options& options) {
  if (const int wrong = fill_uses(task, codelet, options)) return wrong;
  if (const int nowhere = fill_kinds(task, codelet)) return nowhere;
  if (codelet.most_threads > 1) begin_counting_threads();
  task.codelet = &codelet;
  task.priority = options.priority;
  task.callback = options.callback;
  task.callback_argument = options.callback_argument;
  for (int i = 0; i < options.after_count; ++i)
    order(*reinterpret_cast<Task*>(options.after[i]), task);
  return enter(task);
}

// --- tasks of the runtime's own on one handle ----------------------------------------------------

int decide_alone(Task& task, void*) {
  const Handle& handle = *task.uses[0].handle;
  return handle.is_open() ? 0 : EBUSY;
}

int decide_end(Task& task, void* argument) {
  Handle& handle = *task.uses[0].handle;
  if (handle.whole) return EBUSY;
  if (const int refused = decide_alone(task, argument)) return refused;
  handle.ends = true;
  return 0;
}

struct Step {
  int (*step)(Task&);
  int (*decide)(Task&, void*);
  int kind = 0;  // of executors that may make it
  int argument = 0;
};

int submit_step(Handle& handle, xylem_mode mode, const Step& step) {
  Task* task = make_task(1, &step.argument, sizeof step.argument);
  if (!task) return ENOMEM;
  task->uses[0] = {&handle, mode};
  task->step = step.step;
  task->kinds = 1u << step.kind;
  const int refused = enter_if(*task, step.decide, nullptr);
  if (refused != 0) let_go(*task);
  return refused;
}

int end_handle(Task& task) {
  Handle* handle = task.uses[0].handle;
  int error = handle->piece.has_home() ? handle->piece.prefetch(main_memory) : 0;
  if (error == ENODATA) error = 0;
  delete handle;
  return error;
}

int forget_value(Task& task) {
  task.uses[0].handle->piece.invalidate();
  return 0;
}

// To the memory node that the argument names. A hint: what cannot be brought is brought when it is
// needed, or that fails then.
int bring_to_node(Task& task) {
  task.uses[0].handle->piece.prefetch(*static_cast<const int*>(task.argument));
  return 0;
}

}  // namespace

int submit(const xylem_codelet& codelet, const xylem_task_options& options, Task** task) {
  if (const int wrong = check(codelet, options)) return wrong;
  Task* made = make_task(codelet.accesses, options.argument, options.argument_bytes);
  if (!made) return ENOMEM;
  if (task) hold(*made);
  if (const int refused = enter_submitted(*made, codelet, options)) {
    if (task) let_go(*made);
    // Tasks that it was to come after may know of it: it ends as one that does nothing.
    made->counted = false;
    made->codelet = nullptr;
    made->step_at_once = true;
    made->callback = nullptr;
    one_less(*made);
    return refused;
  }
  if (task) *task = made;
  return 0;
}

int unregister(Handle* handle) {
  const bool has_home = handle->piece.has_home();
  const int error = acquire(*handle, has_home ? xylem_read_write : xylem_write, true);
  if (error == EBUSY || (error == ENOMEM && !handle->ends)) return error;
  if (error == 0) release(*handle);
  delete handle;
  return error;
}

int unregister_later(Handle& handle) {
  return submit_step(handle, xylem_read_write, {end_handle, decide_end});
}

int prefetch(Handle& handle, int executor) {
  if (executor < 0 || executor >= executor_count()) return EINVAL;
  const Executor& by = executors()[static_cast<size_t>(executor)];
  if (memories().gone(by.node)) return 0;
  return submit_step(handle, xylem_read, {bring_to_node, decide_alone, by.kind, by.node});
}

int invalidate(Handle& handle) {
  return submit_step(handle, xylem_write, {forget_value, decide_alone});
}

}  // namespace xylem::hetero
