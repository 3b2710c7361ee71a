// Owns: entering such accesses. See named_access.hpp.
#include "hetero/run/named_access.hpp"

#include <algorithm>
#include <cerrno>

#include "base/report.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/tasks/data_order.hpp"

namespace xylem::hetero {

namespace {

bool is_open(const Handle& handle) { return handle.is_open(); }
bool is_any(const Handle&) { return true; }

void add_use(Task& task, Handle& handle, xylem_mode mode) {
  for (Use& use : task.all_uses()) {
    if (use.handle != &handle) continue;
    if (mode != xylem_read) use.mode = mode;
    return;
  }
  task.uses[task.use_count++] = {&handle, mode};
}

// Under the lock of the order of tasks: what is found does not end before the access.
int find_data(Task& task, void* raw) {
  task.use_count = 0;
  for (const Named& named : *static_cast<const std::span<const Named>*>(raw))
    if (Handle* handle = find_named(named.address, is_open)) add_use(task, *handle, named.mode);
  return task.use_count > 0 ? 0 : ENOENT;
}

// Without a value there is nothing to bring: the program's task finds main memory as it is.
void bring(Use& use) {
  Piece& piece = use.handle->piece;
  if (piece.acquire(main_memory, static_cast<Access>(use.mode)) == 0) return;
  if (use.mode == xylem_read) return void(use.handle = nullptr);
  use.mode = xylem_write;
  if (piece.acquire(main_memory, Access::write) != 0) use.handle = nullptr;
}

// The access may have ended, and be gone, when `call` returns.
int begin(Task& access) {
  const Begun begun = *static_cast<const Begun*>(access.argument);
  for (Use& use : access.all_uses()) bring(use);
  begun.call(begun.argument);
  return EINPROGRESS;
}

}  // namespace

bool begin_access(std::span<const Named> names, const Begun& begun, Task*& access) {
  const auto is_known = [](const Named& named) { return find_named(named.address, is_any); };
  if (std::none_of(names.begin(), names.end(), is_known)) return false;
  access = make_task(static_cast<int>(names.size()), &begun, sizeof begun);
  if (!access) base::fatal("out of memory for a task's data");
  access->step = begin;
  access->step_at_once = memories().count() == 1;  // nothing is brought
  access->counted = false;
  if (enter_if(*access, find_data, &names) == 0) return true;
  let_go(*access);
  access = nullptr;
  return false;
}

void end_access(Task& access) {
  for (const Use& use : access.all_uses())
    if (use.handle) use.handle->piece.release(main_memory, static_cast<Access>(use.mode));
  end(access);
}

}  // namespace xylem::hetero
