// Owns: accesses of the program. See acquire.hpp.
#include "hetero/tasks/acquire.hpp"

#include <cerrno>

#include "hetero/tasks/data_order.hpp"
#include "sched/sched.hpp"

namespace xylem::hetero {

namespace {

constinit base::SpinLock acquired_lock{{44, "acquired_lock"}};

void record_acquired(Handle& handle, Task& task) {
  base::Locked locked(acquired_lock);
  task.next_waiting = handle.acquired;
  handle.acquired = &task;
}

// In the frame of who acquires. 0: its turn has not come; 1: it has. By who makes the task ready.
struct Turn {
  std::atomic<uint32_t> came{0};
  bool ends = false;
};

int record_turn(Task& task) {
  auto& came = static_cast<Turn*>(task.argument)->came;
  came.store(1,
             std::memory_order_release);  // pairs with the acquire in acquire(): the frame may go
  sched::wake_all(&came);
  return EINPROGRESS;
}

// The access that its step began may have ended, and the task be gone, when `acquired` returns.
int begin_access(Task& task) {
  Handle& handle = *task.uses[0].handle;
  const Then then = *static_cast<const Then*>(task.argument);
  const int error = handle.piece.acquire(main_memory, static_cast<Access>(task.uses[0].mode));
  if (error == 0) record_acquired(handle, task);
  then.acquired(then.argument, error);
  return error == 0 ? EINPROGRESS : 0;
}

int decide(Task& task, void* raw) {
  Handle& handle = *task.uses[0].handle;
  const auto& turn = *static_cast<const Turn*>(raw);
  if (!handle.is_open() || (turn.ends && handle.whole)) return EBUSY;
  handle.ends = turn.ends;
  return 0;
}

// Null: nobody has acquired the data.
Task* take_acquired(Handle& handle) {
  base::Locked locked(acquired_lock);
  Task* task = handle.acquired;
  if (task) handle.acquired = task->next_waiting;
  return task;
}

}  // namespace

int acquire(Handle& handle, xylem_mode mode, bool ends) {
  Turn turn;
  turn.ends = ends;
  Task* task = make_task(1, &turn, 0);
  if (!task) return ENOMEM;
  task->uses[0] = {&handle, mode};
  task->step = record_turn;
  task->step_at_once = true;
  task->counted = false;
  if (const int refused = enter_if(*task, decide, &turn)) {
    let_go(*task);
    return refused;
  }
  while (turn.came.load(std::memory_order_acquire) == 0) sched::wait_on(&turn.came, 0);
  if (const int error = handle.piece.acquire(main_memory, static_cast<Access>(mode))) {
    end(*task);
    return error;
  }
  record_acquired(handle, *task);
  return 0;
}

int acquire_then(Handle& handle, xylem_mode mode, const Then& then, bool at_once) {
  Task* task = make_task(1, &then, sizeof then);
  if (!task) return ENOMEM;
  task->uses[0] = {&handle, mode};
  task->step = begin_access;
  task->step_at_once = at_once;
  const int refused = enter(*task);
  if (refused != 0) let_go(*task);
  return refused;
}

bool give_up(Handle& handle) {
  Task* task = take_acquired(handle);
  if (!task) return false;
  handle.piece.give_up(main_memory);
  handle.piece.invalidate();
  end(*task);
  return true;
}

bool release(Handle& handle, bool wrote) {
  Task* task = take_acquired(handle);
  if (!task) return false;
  if (wrote)
    handle.piece.release(main_memory, static_cast<Access>(task->uses[0].mode));
  else
    handle.piece.give_up(main_memory);
  end(*task);
  return true;
}

}  // namespace xylem::hetero
