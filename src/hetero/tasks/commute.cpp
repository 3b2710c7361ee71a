// Owns: who holds pieces. See commute.hpp.
#include "hetero/tasks/commute.hpp"

namespace xylem::hetero {

namespace {

constinit base::SpinLock commute_lock{{43, "commute_lock"}};

void stand_and_wait(Handle& handle, Task& task) {
  task.next_waiting = nullptr;
  (handle.last_waiting ? handle.last_waiting->next_waiting : handle.first_waiting) = &task;
  handle.last_waiting = &task;
}

}  // namespace

bool take_commuting(Task& task) {
  base::Locked locked(commute_lock);
  for (const Use& use : task.all_uses()) {
    if (use.mode != xylem_commute || !use.handle->holder) continue;
    stand_and_wait(*use.handle, task);
    return false;
  }
  for (const Use& use : task.all_uses())
    if (use.mode == xylem_commute) use.handle->holder = &task;
  return true;
}

Task* give_commuting_up(Task& task) {
  base::Locked locked(commute_lock);
  Task* first = nullptr;
  Task** end = &first;
  for (const Use& use : task.all_uses()) {
    if (use.mode != xylem_commute) continue;
    Handle& handle = *use.handle;
    handle.holder = nullptr;
    *end = handle.first_waiting;
    if (handle.last_waiting) end = &handle.last_waiting->next_waiting;
    handle.first_waiting = handle.last_waiting = nullptr;
  }
  return first;
}

}  // namespace xylem::hetero
